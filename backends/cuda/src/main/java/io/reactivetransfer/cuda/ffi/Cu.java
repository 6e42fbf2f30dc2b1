package io.reactivetransfer.cuda.ffi;

/**
 * Numbers of cuda.h, under its names.
 *
 * @see <a href="https://docs.nvidia.com/cuda/cuda-driver-api/">CUDA driver API</a>
 */
public final class Cu {

  public static final int CUDA_SUCCESS = 0;
  public static final int CUDA_ERROR_INVALID_VALUE = 1;
  public static final int CUDA_ERROR_OUT_OF_MEMORY = 2;
  public static final int CUDA_ERROR_STUB_LIBRARY = 34;
  public static final int CUDA_ERROR_NO_DEVICE = 100;
  public static final int CUDA_ERROR_INVALID_CONTEXT = 201;
  public static final int CUDA_ERROR_NOT_READY = 600;
  public static final int CUDA_ERROR_ILLEGAL_ADDRESS = 700;
  public static final int CUDA_ERROR_LAUNCH_TIMEOUT = 702;
  public static final int CUDA_ERROR_CONTEXT_IS_DESTROYED = 709;
  public static final int CUDA_ERROR_ASSERT = 710;
  public static final int CUDA_ERROR_HARDWARE_STACK_ERROR = 714;
  public static final int CUDA_ERROR_ILLEGAL_INSTRUCTION = 715;
  public static final int CUDA_ERROR_MISALIGNED_ADDRESS = 716;
  public static final int CUDA_ERROR_INVALID_ADDRESS_SPACE = 717;
  public static final int CUDA_ERROR_INVALID_PC = 718;
  public static final int CUDA_ERROR_LAUNCH_FAILED = 719;
  public static final int CUDA_ERROR_NOT_SUPPORTED = 801;
  public static final int CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803;

  /** Bytes of a {@code CUipcMemHandle}. */
  public static final int CU_IPC_HANDLE_SIZE = 64;

  public static final int CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1;

  /** Bytes of a {@code CUuuid}. */
  public static final int UUID_BYTES = 16;

  public static final int CU_POINTER_ATTRIBUTE_CONTEXT = 1;
  public static final int CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2;
  public static final int CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6;
  public static final int CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9;
  public static final int CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11;
  public static final int CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12;
  public static final int CU_MEMORYTYPE_DEVICE = 2;

  public static final int CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122;
  public static final int CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117;
  public static final int CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118;
  public static final int CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124;

  public static final int CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST = 1;
  public static final int CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE = 0;
  public static final int CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX = 0;
  public static final int CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER = 100;
  public static final int CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD = 1;

  public static final int CU_STREAM_NON_BLOCKING = 1;
  public static final int CU_STREAM_CAPTURE_MODE_RELAXED = 2;
  public static final int CU_STREAM_CAPTURE_STATUS_NONE = 0;
  public static final int CU_STREAM_WAIT_VALUE_GEQ = 0;
  public static final int CU_STREAM_WRITE_VALUE_DEFAULT = 0;
  public static final int CU_EVENT_DISABLE_TIMING = 2;
  public static final int CU_MEMHOSTREGISTER_PORTABLE = 1;
  public static final int CU_MEMHOSTREGISTER_DEVICEMAP = 2;

  private Cu() {}
}
