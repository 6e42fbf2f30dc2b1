package io.reactivetransfer.weights.kernel;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Quantises something by plain loops, and then, if it is told to wait for them, by vectors. */
final class PrepareProgram {

  private static final int COUNT = 1 << 14;

  private PrepareProgram() {}

  /** Prints what did it, and whether vectors have made the same. */
  public static void main(String[] arguments) throws InterruptedException {
    byte[] source = new byte[2 * COUNT];
    new Random(1).nextBytes(source);
    byte[] first = quantized(source);
    System.out.println("vectors " + StandardPrepare.VECTORS.areFaster());
    if (arguments.length > 0) {
      while (!StandardPrepare.VECTORS.areUsed()) {
        Thread.sleep(10);
      }
      System.out.println("the same " + Arrays.equals(quantized(source), first));
    }
  }

  private static byte[] quantized(byte[] source) {
    Tensor tensor = new Tensor("w", DataType.FP8_E4M3, Shape.of(COUNT));
    Box box = Box.whole(tensor.shape());
    Input input = new Input(DataType.BF16, box, false, Place.of(0, 0, 1));
    byte[] output = new byte[COUNT];
    PrepareFunction.standard()
        .prepare(
            new PrepareTask(
                new TableTensor(tensor, 0, Shape.of(128), 1),
                DataType.FP32,
                new Step.Prepare(0, 0, box, List.of(input), 0, 0, Runs.builder().build()),
                List.of(MemorySegment.ofArray(source)),
                MemorySegment.ofArray(output),
                MemorySegment.ofArray(new byte[COUNT / 128 * Float.BYTES])));
    return output;
  }
}
