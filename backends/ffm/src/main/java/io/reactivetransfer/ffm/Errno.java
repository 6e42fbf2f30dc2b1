package io.reactivetransfer.ffm;

/**
 * Names of the error numbers of Linux, as in errno(3). They are the same on x86-64 and aarch64.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/errno.3.html">errno(3)</a>
 */
public final class Errno {

  /** From 1 on, in order, as asm-generic/errno-base.h and errno.h have them; "-" is not in use. */
  private static final String[] NAMES =
      """
      EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES
      EFAULT ENOTBLK EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY
      ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG
      ENOLCK ENOSYS ENOTEMPTY ELOOP - ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG
      EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT - EBFONT ENOSTR
      ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP
      EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX
      ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE
      ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT
      EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET
      ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN
      EHOSTUNREACH EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO
      EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED
      EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON
      """
          .strip()
          .split("\\s+");

  private Errno() {}

  /**
   * The name of an error number.
   *
   * @param errno a number above 0; negated results of calls are negated before
   * @return such as {@code EINVAL}, or {@code errno 4711} if it has no name
   */
  public static String name(int errno) {
    return isKnown(errno) ? NAMES[errno - 1] : "errno " + errno;
  }

  /**
   * Name and number, as errors say it.
   *
   * @param errno a number above 0
   * @return such as {@code EINVAL (22)}, or {@code errno 4711} if it has no name
   */
  public static String text(int errno) {
    return isKnown(errno) ? NAMES[errno - 1] + " (" + errno + ")" : "errno " + errno;
  }

  private static boolean isKnown(int errno) {
    return errno >= 1 && errno <= NAMES.length && !NAMES[errno - 1].equals("-");
  }
}
