package io.reactivetransfer.spring;

import io.reactivetransfer.EngineOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.util.unit.DataSize;

/**
 * Those of the {@link EngineOptions} of one engine that are properties. What is null was not set,
 * and is the default of the engine; what is set is checked by the engine's own options.
 */
public class OptionProperties {

  /** NICs to open, 1 to 8; 0, the default, for all that the backend offers. */
  private @Nullable Integer nics;

  /**
   * NICs over which memory of an accelerator is written, by their names, for each accelerator such
   * as [cuda:0]; by default the nearest ones.
   */
  private Map<String, List<String>> deviceNics = new LinkedHashMap<>();

  /** Transfers of one stream that may be in flight, 1 to 65536, by default 256. */
  private @Nullable Integer window;

  /** Pieces that may be in flight on one NIC, 1 to 65536, by default 1024. */
  private @Nullable Integer nicDepth;

  /** Pieces that may be in flight to one peer, 1 to 1048576, by default 4096. */
  private @Nullable Integer peerDepth;

  /** Bytes that may be in flight to one peer, by default 64MB. */
  private @Nullable DataSize peerBytes;

  /**
   * Streams, single transfers, claims, watches and readers of messages that may be subscribed to at
   * once, 1 to 1048576, by default 65536.
   */
  private @Nullable Integer maxSubmissions;

  /** A write is spread over several NICs only in pieces of at least this size, by default 64KB. */
  private @Nullable DataSize minPieceBytes;

  /** Different immediates that may have arrived unclaimed, 1 to 16777216, by default 65536. */
  private @Nullable Integer maxUnclaimedImms;

  /** The longest message in either direction, up to 16MB, by default 1MB. */
  private @Nullable DataSize maxMessageBytes;

  /**
   * Messages of one sender and one channel that are kept until they are taken, 1 to 65536, by
   * default 16.
   */
  private @Nullable Integer messageCredits;

  /** Messages to one peer that may wait for it to take them, 1 to 1048576, by default 1024. */
  private @Nullable Integer maxWaitingMessages;

  /** How long a peer may be silent that anything is waited for, by default 5s. */
  private @Nullable Duration livenessDeadline;

  /** How long a transfer may take, by default 60s. */
  private @Nullable Duration transferDeadline;

  /** How long a connection to a peer may take to come about, by default 10s. */
  private @Nullable Duration connectTimeout;

  /**
   * How long closing waits for what is in flight, by default 5s; to be 5s less than
   * spring.lifecycle.timeout-per-shutdown-phase, or shorter.
   */
  private @Nullable Duration closeTimeout;

  /**
   * How long peers have to stop writing to a region that is revoked, by default 100ms; 0 for no
   * time at all.
   */
  private @Nullable Duration revocationGrace;

  /** How long a turn of the NIC's thread may take before it counts as a stall, by default 10ms. */
  private @Nullable Duration stallThreshold;

  /** CPU to pin a dedicated NIC thread to; by default it is not pinned. */
  private @Nullable Integer cpu;

  public @Nullable Integer getNics() {
    return nics;
  }

  public void setNics(@Nullable Integer nics) {
    this.nics = nics;
  }

  public Map<String, List<String>> getDeviceNics() {
    return deviceNics;
  }

  public void setDeviceNics(Map<String, List<String>> deviceNics) {
    this.deviceNics = deviceNics;
  }

  public @Nullable Integer getWindow() {
    return window;
  }

  public void setWindow(@Nullable Integer window) {
    this.window = window;
  }

  public @Nullable Integer getNicDepth() {
    return nicDepth;
  }

  public void setNicDepth(@Nullable Integer nicDepth) {
    this.nicDepth = nicDepth;
  }

  public @Nullable Integer getPeerDepth() {
    return peerDepth;
  }

  public void setPeerDepth(@Nullable Integer peerDepth) {
    this.peerDepth = peerDepth;
  }

  public @Nullable DataSize getPeerBytes() {
    return peerBytes;
  }

  public void setPeerBytes(@Nullable DataSize peerBytes) {
    this.peerBytes = peerBytes;
  }

  public @Nullable Integer getMaxSubmissions() {
    return maxSubmissions;
  }

  public void setMaxSubmissions(@Nullable Integer maxSubmissions) {
    this.maxSubmissions = maxSubmissions;
  }

  public @Nullable DataSize getMinPieceBytes() {
    return minPieceBytes;
  }

  public void setMinPieceBytes(@Nullable DataSize minPieceBytes) {
    this.minPieceBytes = minPieceBytes;
  }

  public @Nullable Integer getMaxUnclaimedImms() {
    return maxUnclaimedImms;
  }

  public void setMaxUnclaimedImms(@Nullable Integer maxUnclaimedImms) {
    this.maxUnclaimedImms = maxUnclaimedImms;
  }

  public @Nullable DataSize getMaxMessageBytes() {
    return maxMessageBytes;
  }

  public void setMaxMessageBytes(@Nullable DataSize maxMessageBytes) {
    this.maxMessageBytes = maxMessageBytes;
  }

  public @Nullable Integer getMessageCredits() {
    return messageCredits;
  }

  public void setMessageCredits(@Nullable Integer messageCredits) {
    this.messageCredits = messageCredits;
  }

  public @Nullable Integer getMaxWaitingMessages() {
    return maxWaitingMessages;
  }

  public void setMaxWaitingMessages(@Nullable Integer maxWaitingMessages) {
    this.maxWaitingMessages = maxWaitingMessages;
  }

  public @Nullable Duration getLivenessDeadline() {
    return livenessDeadline;
  }

  public void setLivenessDeadline(@Nullable Duration livenessDeadline) {
    this.livenessDeadline = livenessDeadline;
  }

  public @Nullable Duration getTransferDeadline() {
    return transferDeadline;
  }

  public void setTransferDeadline(@Nullable Duration transferDeadline) {
    this.transferDeadline = transferDeadline;
  }

  public @Nullable Duration getConnectTimeout() {
    return connectTimeout;
  }

  public void setConnectTimeout(@Nullable Duration connectTimeout) {
    this.connectTimeout = connectTimeout;
  }

  public @Nullable Duration getCloseTimeout() {
    return closeTimeout;
  }

  public void setCloseTimeout(@Nullable Duration closeTimeout) {
    this.closeTimeout = closeTimeout;
  }

  public @Nullable Duration getRevocationGrace() {
    return revocationGrace;
  }

  public void setRevocationGrace(@Nullable Duration revocationGrace) {
    this.revocationGrace = revocationGrace;
  }

  public @Nullable Duration getStallThreshold() {
    return stallThreshold;
  }

  public void setStallThreshold(@Nullable Duration stallThreshold) {
    this.stallThreshold = stallThreshold;
  }

  public @Nullable Integer getCpu() {
    return cpu;
  }

  public void setCpu(@Nullable Integer cpu) {
    this.cpu = cpu;
  }

  /** What a dedicated NIC thread does when there is no work. */
  @NestedConfigurationProperty private final IdleProperties idle = new IdleProperties();

  public IdleProperties getIdle() {
    return idle;
  }
}
