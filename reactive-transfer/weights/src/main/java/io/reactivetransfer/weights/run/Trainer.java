package io.reactivetransfer.weights.run;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.weights.internal.Accelerators;
import io.reactivetransfer.weights.internal.DeviceWindow;
import io.reactivetransfer.weights.internal.Recording;
import io.reactivetransfer.weights.kernel.PrepareTask;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** What is the same in all runs of a rank: its steps, where their temporaries lie, its memory. */
final class Trainer {

  private static final Recording<RunRecorder.OneRunRecorder> NOBODY =
      new Recording<>(RunRecorder.OneRunRecorder.NONE, RunRecorder.OneRunRecorder.NONE);

  final TransferEngine engine;
  final RoutingTable table;
  final int rank;
  final List<SourceMemory> memory;
  final RunOptions options;

  private final Accelerators accelerators = new Accelerators();

  final List<StepState> steps = new ArrayList<>();

  /** Those that need room, in their order. */
  final List<StepState> withRoom = new ArrayList<>();

  /** Those that are only written, in their order. */
  final List<StepState> direct = new ArrayList<>();

  /** Mesh groups that take turns; 1 if they do not. */
  final int phases;

  /** Bytes that all steps write. */
  final long bytes;

  /** Bytes of temporaries that are ever used. */
  final long temporaryBytes;

  /** Steps that others write for. */
  final int gathers;

  /** The temporaries of all steps; null if there are none. */
  @Nullable MemorySegment temporaries;

  Gathering gathering = Gathering.NONE;

  private final Recording<RunRecorder> recording;

  /** As the application holds it, once it is opened. */
  private volatile @Nullable TrainerRank shown;

  private @Nullable Run current;
  private boolean isClosed;
  private @Nullable Throwable notQuiet;

  Trainer(
      TransferEngine engine,
      RoutingTable table,
      int rank,
      List<SourceMemory> memory,
      RunOptions options) {
    this.engine = engine;
    this.table = table;
    this.rank = rank;
    this.memory = memory;
    this.options = options;
    this.recording = new Recording<>(options.recorder(), RunRecorder.NONE);
    this.phases = options.groupsInTurn() ? Math.max(1, table.groups().size()) : 1;
    Room room = new Room(options.temporaryBytes());
    int before = 0;
    int gathered = 0;
    for (Step step : table.steps(rank)) {
      TableTensor tensor = table.tensors().get(step.tensor());
      DeviceInputs inputs = DeviceInputs.of(step, memory);
      if (inputs != null) {
        inputs.require(accelerators, tensor.tensor().name());
      }
      long needed = table.temporaryBytes(rank, step) + (inputs == null ? 0 : inputs.bytes);
      TrainerChecks.require(engine, table, step, needed, options);
      int phase = options.groupsInTurn() ? tensor.group() : 0;
      if (phase < before) {
        throw new IllegalArgumentException(
            "expected the steps of a mesh group before those of the next, got one of tensor "
                + tensor.tensor().name()
                + " behind one of group "
                + table.groups().get(before));
      }
      before = phase;
      StepState state = new StepState(step, tensor.tensor().name(), phase, needed);
      state.deviceInputs = inputs;
      steps.add(state);
      if (state.temporaryBytes > 0) {
        room.place(state);
        withRoom.add(state);
      }
      if (step instanceof Step.Write) {
        direct.add(state);
      }
      if (step instanceof Step.Prepare prepare && prepare.gatherWrites() > 0) {
        state.gatherIndex = gathered++;
      }
    }
    this.bytes = steps.stream().mapToLong(step -> step.bytes).sum();
    this.temporaryBytes = room.extent();
    this.gathers = gathered;
  }

  /** Says of each step where its temporaries are. */
  void place(MemorySegment segment) {
    temporaries = segment;
    for (StepState state : withRoom) {
      if (state.step instanceof Step.Prepare prepare) {
        state.task = task(state, prepare, segment);
      }
    }
  }

  private PrepareTask task(StepState state, Step.Prepare prepare, MemorySegment temporaries) {
    TableTensor tensor = table.tensors().get(prepare.tensor());
    MemorySegment gathered = temporaries.asSlice(state.offset, prepare.gatherBytes());
    long output = table.outputBytes(prepare);
    long at = state.offset + prepare.gatherBytes();
    DeviceInputs onDevices = state.deviceInputs;
    if (onDevices != null) {
      long made = output + table.scaleBytes(prepare);
      state.copies = temporaries.asSlice(at + made, onDevices.bytes);
    }
    MemorySegment copies = state.copies;
    List<MemorySegment> inputs = new ArrayList<>(prepare.inputs().size());
    for (int i = 0; i < prepare.inputs().size(); i++) {
      Input input = prepare.inputs().get(i);
      MemorySegment copy = onDevices == null || copies == null ? null : onDevices.copyOf(i, copies);
      MemorySegment own = input.isGathered() ? gathered : copy;
      inputs.add((own == null ? segment(input.place().region()) : own).asReadOnly());
    }
    return new PrepareTask(
        tensor,
        tensor.unit() == null ? null : table.tensors().get(tensor.scales()).tensor().type(),
        onDevices == null ? prepare : onDevices.copied(),
        inputs,
        temporaries.asSlice(at, output),
        temporaries.asSlice(at + output, table.scaleBytes(prepare)));
  }

  /** Brings what a step prepares, and the host has not, to the host. */
  void copyInputs(StepState state) {
    DeviceInputs inputs = state.deviceInputs;
    MemorySegment copies = state.copies;
    if (inputs != null && copies != null) {
      inputs.copyTo(copies, accelerators);
    }
  }

  /** Copies bytes of a region of this rank, wherever it is, to the host: row behind row. */
  void copyRows(Runs runs, int run, MemorySegment to, long at) {
    int region = runs.sourceRegion(run);
    long length = runs.rowBytes(run);
    DeviceMemory device = device(region);
    if (device != null) {
      try (DeviceWindow window = accelerators.window(device, device.length())) {
        for (int row = 0; row < runs.rows(run); row++) {
          window.copy(runs.sourceOffset(run) + row * runs.sourceStride(run), to, at, length);
          at += length;
        }
      }
      return;
    }
    MemorySegment from = segment(region);
    for (int row = 0; row < runs.rows(run); row++) {
      long source = runs.sourceOffset(run) + row * runs.sourceStride(run);
      MemorySegment.copy(from, source, to, at, length);
      at += length;
    }
  }

  private @Nullable DeviceMemory device(int region) {
    return memory.get(region) instanceof SourceMemory.Registered one
            && one.region().memory() instanceof DeviceMemory found
        ? found
        : null;
  }

  /** A region of this rank that the host reads as it lies. */
  private MemorySegment segment(int region) {
    return switch (memory.get(region)) {
      case SourceMemory.Loaded loaded -> loaded.segment();
      case SourceMemory.Registered registered ->
          ((HostMemory) registered.region().memory()).segment();
    };
  }

  /** Where a run of a step leaves from. */
  SourceMemory source(StepState step, int run) {
    int region = step.step.runs().sourceRegion(run);
    PrepareTask task = step.task;
    if (region < 0 && task != null) {
      MemorySegment made = region == Runs.OUTPUT ? task.output() : task.scales();
      return SourceMemory.loaded(made.asReadOnly());
    }
    return memory.get(region);
  }

  /** A region of this rank as NICs read it. */
  MemoryRegion region(int region) {
    return PreparedWrites.registered(memory.get(region));
  }

  /** Whether it has to do with other ranks of the trainer. */
  boolean needsOthers() {
    return options.groupsInTurn()
        || gathers > 0
        || steps.stream().anyMatch(step -> step.step instanceof Step.Gather);
  }

  /** For people. */
  String name() {
    return "trainer " + table.sources().get(rank).name();
  }

  /** The engines of the other ranks of the trainer. */
  List<Peer> others() {
    List<Peer> others = new ArrayList<>();
    for (int i = 0; i < options.trainers().size(); i++) {
      if (i != rank) {
        others.add(engine.peer(options.trainers().get(i)));
      }
    }
    return others;
  }

  /** Until all ranks of the trainer are done with a mesh group. */
  Mono<Void> barrier(long update, int phase) {
    List<Peer> others = others();
    return others.isEmpty()
        ? Mono.empty()
        : engine.barrier(
            "weights " + update + " " + table.groups().get(phase), new PeerGroup(others));
  }

  // Who is told

  void opened(TrainerRank rank) {
    if (recording.isOn()) {
      shown = rank;
      tell(RunRecorder::opened);
    }
  }

  /** Whoever is told of a run that begins. */
  Recording<RunRecorder.OneRunRecorder> begun(long number, ContextView context) {
    TrainerRank rank = shown;
    if (rank == null) {
      return NOBODY;
    }
    BegunRun begin = new BegunRun(rank, number, context);
    return recording.begin(recorder -> recorder.runBegun(begin), RunRecorder.OneRunRecorder.NONE);
  }

  void tell(BiConsumer<RunRecorder, TrainerRank> event) {
    TrainerRank rank = shown;
    if (rank != null) {
      recording.tell(recorder -> event.accept(recorder, rank));
    }
  }

  // One run at a time

  /**
   * Takes the turn of a run, or says which one has it.
   *
   * @throws IllegalStateException if nobody knows whether the memory is quiet
   * @throws TransferRejectedException if the rank is closed
   */
  synchronized @Nullable Run begin(Run run) {
    requireOpen();
    if (notQuiet != null) {
      throw new IllegalStateException(
          "expected memory of " + name() + " that others do not write to any more", notQuiet);
    }
    if (current == null) {
      current = run;
      return null;
    }
    return current;
  }

  /** Refuses what comes after the close. */
  synchronized void requireOpen() {
    if (isClosed) {
      throw new TransferRejectedException(name() + " is closed");
    }
  }

  /** No run takes its turn any more; the one that has it now, if any. */
  synchronized @Nullable Run close() {
    isClosed = true;
    return current;
  }

  /** A run is over; with the reason if nobody knows whether others still write here. */
  synchronized void ended(Run run, @Nullable Throwable why) {
    if (Objects.equals(current, run)) {
      current = null;
      notQuiet = why;
    }
  }

  /** Completes when no run touches memory. */
  synchronized Mono<Void> whenQuiet() {
    Throwable why = notQuiet;
    if (why != null) {
      return Mono.error(why);
    }
    Run run = current;
    return run == null ? Mono.empty() : run.quiet();
  }
}
