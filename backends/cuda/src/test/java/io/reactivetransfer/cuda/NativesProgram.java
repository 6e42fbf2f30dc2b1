package io.reactivetransfer.cuda;

/** A process that loads JCuda's native part: as this module does, or as JCuda does by itself. */
final class NativesProgram {

  private NativesProgram() {}

  public static void main(String[] arguments) throws ClassNotFoundException {
    String before = System.getProperty("java.io.tmpdir");
    if (arguments[0].equals("alone")) {
      Class.forName("jcuda.driver.JCudaDriver");
    } else {
      System.out.println(new CudaAccess().availability());
    }
    System.out.println("folder stayed: " + System.getProperty("java.io.tmpdir").equals(before));
  }
}
