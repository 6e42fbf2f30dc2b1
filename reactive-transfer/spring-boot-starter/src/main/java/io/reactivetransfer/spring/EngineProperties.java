package io.reactivetransfer.spring;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** One engine: its backend, where it listens, who may talk with it, and its options. */
public class EngineProperties extends OptionProperties {

  /** Name of the backend, such as tcp; to be set for each engine. */
  private @Nullable String backend;

  /** Address or name of this machine to listen on, by default 127.0.0.1. */
  private @Nullable String host;

  /**
   * Port of the control channel; 0, the default, for a free one. Those of the NICs of tcp follow
   * it.
   */
  private @Nullable Integer port;

  /** Address or name that others are told, where it is not the host that is listened on. */
  private @Nullable String advertisedHost;

  /**
   * Secret that all engines of the cluster prove, 16 bytes or more. Needed where other machines can
   * connect.
   */
  private @Nullable String secret;

  /** File with the secret of the cluster, instead of the secret itself. */
  private @Nullable Path secretFile;

  /** Secret that is valid, too, while the engines of the cluster are given another one. */
  private @Nullable String previousSecret;

  /** File with the secret that is valid, too, instead of that secret itself. */
  private @Nullable Path previousSecretFile;

  /** Whether other machines may connect without a secret. */
  private boolean withoutSecret;

  public @Nullable String getBackend() {
    return backend;
  }

  public void setBackend(@Nullable String backend) {
    this.backend = backend;
  }

  public @Nullable String getHost() {
    return host;
  }

  public void setHost(@Nullable String host) {
    this.host = host;
  }

  public @Nullable Integer getPort() {
    return port;
  }

  public void setPort(@Nullable Integer port) {
    this.port = port;
  }

  public @Nullable String getAdvertisedHost() {
    return advertisedHost;
  }

  public void setAdvertisedHost(@Nullable String advertisedHost) {
    this.advertisedHost = advertisedHost;
  }

  public @Nullable String getSecret() {
    return secret;
  }

  public void setSecret(@Nullable String secret) {
    this.secret = secret;
  }

  public @Nullable Path getSecretFile() {
    return secretFile;
  }

  public void setSecretFile(@Nullable Path secretFile) {
    this.secretFile = secretFile;
  }

  public @Nullable String getPreviousSecret() {
    return previousSecret;
  }

  public void setPreviousSecret(@Nullable String previousSecret) {
    this.previousSecret = previousSecret;
  }

  public @Nullable Path getPreviousSecretFile() {
    return previousSecretFile;
  }

  public void setPreviousSecretFile(@Nullable Path previousSecretFile) {
    this.previousSecretFile = previousSecretFile;
  }

  public boolean isWithoutSecret() {
    return withoutSecret;
  }

  public void setWithoutSecret(boolean withoutSecret) {
    this.withoutSecret = withoutSecret;
  }

  /** Encryption of the connections. */
  @NestedConfigurationProperty private final SslProperties ssl = new SslProperties();

  /** What the health of the engine depends on. */
  @NestedConfigurationProperty private final HealthProperties health = new HealthProperties();

  public SslProperties getSsl() {
    return ssl;
  }

  public HealthProperties getHealth() {
    return health;
  }
}
