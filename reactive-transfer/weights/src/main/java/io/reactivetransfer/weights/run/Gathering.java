package io.reactivetransfer.weights.run;

import reactor.core.publisher.Mono;

/** What a rank of the trainer has to do with the others. */
interface Gathering {

  /** Of a rank that neither gathers nor has others gather for it. */
  Gathering NONE =
      new Gathering() {
        @Override
        public void begin(Run run) {}

        @Override
        public void open(Run run, StepState step) {
          throw new IllegalStateException("expected a step that nobody gathers for");
        }

        @Override
        public void load(StepState step) {
          throw new IllegalStateException("expected a step that prepares");
        }

        @Override
        public void failed(Run run, Throwable why) {}

        @Override
        public Mono<Void> end(Run run, boolean hasFailed) {
          return Mono.empty();
        }

        @Override
        public Mono<Void> close() {
          return Mono.empty();
        }
      };

  /** A run begins: the others are asked where to write. */
  void begin(Run run);

  /** A step has room for what others write; the run hears when all of it has come. */
  void open(Run run, StepState step);

  /** Brings what is written for another rank to where NICs can read it; may take its time. */
  void load(StepState step);

  /** A run ends with an error: those hear of it that wait for this rank. */
  void failed(Run run, Throwable why);

  /**
   * The writes of a run have ended. Completes when nothing of others is written here any more.
   *
   * @param hasFailed whether some may not have come
   */
  Mono<Void> end(Run run, boolean hasFailed);

  /** Ends all of it. */
  Mono<Void> close();
}
