package io.reactivetransfer.weights.kernel;

/**
 * Makes what a step of a table says: brings its inputs together, casts or quantises them, and finds
 * the scales. The application may have one of its own, for instance one that runs on an
 * accelerator, or that finds scales in another way.
 *
 * <p>It is called from several threads at once, each time for another step, whose memory nobody
 * else touches meanwhile; it may block there. When it returns, all of the output and of the scales
 * is written. What it throws ends the run.
 */
@FunctionalInterface
public interface PrepareFunction {

  /**
   * Prepares one step.
   *
   * @param task what is to be made, and where; not to be kept after the return
   */
  void prepare(PrepareTask task);

  /**
   * The one that comes with this library, for all that a table can say, in memory of the host.
   *
   * <p>A cast rounds to the nearest, of two to the even one. FP32, BF16 and FP16 become infinite
   * where a value is too large; both kinds of FP8 take their largest finite value instead, for
   * infinities too. A NaN stays one: of FP8 it is 0x7f.
   *
   * <p>The scale of a unit is its largest absolute value by the largest value of the type (448,
   * 57,344, 127 or 7); 1 if all are zero; at least the smallest FP32 above zero. Elements are
   * divided by it as FP32, and rounded as in a cast. It is rounded to the type of the scales after
   * that. A unit with an infinity or a NaN has that as its scale; its elements are NaN or zero in
   * FP8, zero in INT8 and INT4: dequantised, NaN where the scale is NaN.
   */
  static PrepareFunction standard() {
    return StandardPrepare.INSTANCE;
  }
}
