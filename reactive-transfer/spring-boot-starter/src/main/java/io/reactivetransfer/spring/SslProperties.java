package io.reactivetransfer.spring;

import org.jspecify.annotations.Nullable;

/** Encryption of the connections of an engine, by an SSL bundle of Spring Boot. */
public class SslProperties {

  /** Name of the SSL bundle by which connections are encrypted; by default they are not. */
  private @Nullable String bundle;

  /** Whether those who connect must show a certificate, too; by default they must. */
  private boolean mutual = true;

  public @Nullable String getBundle() {
    return bundle;
  }

  public void setBundle(@Nullable String bundle) {
    this.bundle = bundle;
  }

  public boolean isMutual() {
    return mutual;
  }

  public void setMutual(boolean mutual) {
    this.mutual = mutual;
  }
}
