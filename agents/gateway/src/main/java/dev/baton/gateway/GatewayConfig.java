/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import dev.baton.gateway.boundary.BoundaryPolicy;
import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.gateway.upstream.RetryPolicy;
import dev.baton.gateway.upstream.UpstreamLimits;
import dev.baton.protocol.tls.TlsSettings;
import java.time.Duration;
import java.util.Map;

/**
 * Configuration of a gateway.
 *
 * @param upstreams endpoints by id of the form: {@code anthropic-messages}, {@code
 *     openai-responses}, {@code openai-chat}; a form without one is refused
 * @param port 0 for a free one
 * @param maxRequestBytes size of a request
 * @param maxRequests number of requests at the same time; further ones get 503
 * @param agentStall how long an agent may neither send nor read before its connection is closed
 * @param silence how long a stream may be silent before the gateway keeps it alive
 * @param leasePatience how long a request waits for a suspended lease
 * @param tls whose authorities endpoints may have, in addition to those of the JDK
 */
public record GatewayConfig(
    Map<String, ModelUpstream> upstreams,
    int port,
    int maxRequestBytes,
    int maxRequests,
    Duration agentStall,
    Duration silence,
    Duration leasePatience,
    RetryPolicy retries,
    UpstreamLimits limits,
    BoundaryPolicy boundaries,
    TlsSettings tls) {
  public GatewayConfig {
    upstreams = Map.copyOf(upstreams);
    if (maxRequestBytes < 1 || maxRequests < 1) {
      throw new IllegalArgumentException("gateway: a bound on requests is not 1 or more");
    }
  }

  /** The defaults. */
  public static GatewayConfig of(Map<String, ModelUpstream> upstreams) {
    return new GatewayConfig(
        upstreams,
        0,
        32 * 1024 * 1024,
        64,
        Duration.ofSeconds(60),
        Duration.ofSeconds(5),
        Duration.ofSeconds(60),
        RetryPolicy.STANDARD,
        UpstreamLimits.STANDARD,
        BoundaryPolicy.STANDARD,
        TlsSettings.NONE);
  }

  public GatewayConfig withRetries(RetryPolicy policy) {
    return new GatewayConfig(
        upstreams,
        port,
        maxRequestBytes,
        maxRequests,
        agentStall,
        silence,
        leasePatience,
        policy,
        limits,
        boundaries,
        tls);
  }

  public GatewayConfig withLimits(UpstreamLimits bounds) {
    return new GatewayConfig(
        upstreams,
        port,
        maxRequestBytes,
        maxRequests,
        agentStall,
        silence,
        leasePatience,
        retries,
        bounds,
        boundaries,
        tls);
  }

  /** Trusts these authorities, in addition to those of the JDK. */
  public GatewayConfig withTls(TlsSettings settings) {
    return new GatewayConfig(
        upstreams,
        port,
        maxRequestBytes,
        maxRequests,
        agentStall,
        silence,
        leasePatience,
        retries,
        limits,
        boundaries,
        settings);
  }

  public GatewayConfig withBoundaries(BoundaryPolicy policy) {
    return new GatewayConfig(
        upstreams,
        port,
        maxRequestBytes,
        maxRequests,
        agentStall,
        silence,
        leasePatience,
        retries,
        limits,
        policy,
        tls);
  }

  public GatewayConfig withAgentTimes(Duration stall, Duration silent, Duration lease) {
    return new GatewayConfig(
        upstreams,
        port,
        maxRequestBytes,
        maxRequests,
        stall,
        silent,
        lease,
        retries,
        limits,
        boundaries,
        tls);
  }
}
