/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorException.UnavailableException;
import dev.baton.protocol.retry.Backoff;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the reconcilers on the replica that holds the lease {@link #LEASE} in the namespace of the
 * client, and starts them again when they fail. A replica that dies is replaced within 15 s; one
 * that stops in order, at once. Thread-safe.
 */
public final class BatonOperator implements AutoCloseable {
  /** Name of the lease. */
  public static final String LEASE = "baton-operator";

  private static final System.Logger LOG = System.getLogger(BatonOperator.class.getName());
  private static final String DEFAULT_NAMESPACE = "default";
  private static final Duration LEASE_TIME = Duration.ofSeconds(15);
  private static final Duration RENEW = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofSeconds(2);
  private static final Duration SWEEP = Duration.ofSeconds(30);
  private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
  private static final Duration MAX_BACKOFF = Duration.ofMinutes(1);
  private static final Duration END = Duration.ofSeconds(20);

  /** What ends a wait of the operator's thread. */
  private sealed interface Signal {
    record Won() implements Signal {}

    record Lost() implements Signal {}

    record Failed(String why) implements Signal {}

    record Closed() implements Signal {}
  }

  private final KubernetesClient client;
  private final OrchestratorClient orchestrator;
  private final Set<String> namespaces;
  private final Set<String> poolNamespaces;
  private final String leaseNamespace;
  private final String identity;
  private final Clock clock;
  private final Executor executor;
  private final Thread thread;
  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private volatile boolean closed;
  private volatile boolean leading;

  /**
   * @param client is closed with the operator
   */
  public BatonOperator(
      KubernetesClient client,
      OrchestratorClient orchestrator,
      OperatorSettings settings,
      Clock clock) {
    this.client = client;
    this.orchestrator = orchestrator;
    this.leaseNamespace = Objects.requireNonNullElse(client.getNamespace(), DEFAULT_NAMESPACE);
    this.namespaces =
        settings.namespaces().isEmpty() ? Set.of(leaseNamespace) : settings.namespaces();
    this.poolNamespaces = settings.poolNamespaces();
    this.identity = settings.identity();
    this.clock = clock;
    this.executor = task -> Thread.ofVirtual().name("baton-operator-lease").start(task);
    this.thread = Thread.ofVirtual().name("baton-operator").unstarted(this::work);
  }

  /** Creates the operator with a client as the settings state. */
  public static BatonOperator create(OperatorSettings settings, OrchestratorClient orchestrator) {
    KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(
                settings
                    .kubeconfig()
                    .map(file -> Config.fromKubeconfig(file.toFile()))
                    .orElseGet(() -> Config.autoConfigure(null)))
            .withHttpClientFactory(new JdkHttpClientFactory())
            .build();
    return new BatonOperator(client, orchestrator, settings, Clock.systemUTC());
  }

  public void start() {
    LOG.log(
        System.Logger.Level.INFO,
        "operator: watches workflows and runs of {0} in {1}",
        client.getMasterUrl(),
        namespaces);
    thread.start();
  }

  /** Whether this replica holds the lease and its reconcilers run. */
  public boolean isLeading() {
    return leading;
  }

  private void work() {
    Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
    while (!closed) {
      long begin = System.nanoTime();
      try {
        campaign();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.WARNING, "operator: failed, retrying: {0}", e.toString());
      }
      if (System.nanoTime() - begin > MAX_BACKOFF.toNanos()) {
        backoff.reset();
      }
      if (!closed && !backoff.pauseUnlessInterrupted()) {
        return;
      }
    }
  }

  /** Waits for the lease, runs the reconcilers until it is lost, and releases it. */
  private void campaign() throws InterruptedException {
    signals.removeIf(signal -> !(signal instanceof Signal.Closed));
    // Fails with the reason when a right is missing; the elector would retry silently.
    client.leases().inNamespace(leaseNamespace).withName(LEASE).get();
    LeaderElector elector =
        new LeaderElector(
            client,
            new LeaderElectionConfigBuilder()
                .withName(LEASE)
                .withLock(new LeaseLock(leaseNamespace, LEASE, identity))
                .withLeaseDuration(LEASE_TIME)
                .withRenewDeadline(RENEW)
                .withRetryPeriod(RETRY)
                .withReleaseOnCancel(true)
                .withLeaderCallbacks(
                    new LeaderCallbacks(
                        () -> signals.add(new Signal.Won()),
                        () -> signals.add(new Signal.Lost()),
                        leader ->
                            LOG.log(
                                System.Logger.Level.INFO, "operator: {0} holds the lease", leader)))
                .build(),
            executor);
    CompletableFuture<?> election = elector.start();
    election.whenComplete((done, failure) -> signals.add(new Signal.Lost()));
    try {
      if (signals.take() instanceof Signal.Won) {
        lead();
      }
    } finally {
      election.cancel(true);
      // At once, so that another replica does not wait for the end of the lease.
      elector.release();
    }
  }

  private void lead() throws InterruptedException {
    try (ResourceReconcilers reconcilers =
        ResourceReconcilers.start(
            client,
            orchestrator,
            namespaces,
            poolNamespaces,
            clock,
            why -> signals.add(new Signal.Failed(why)))) {
      leading = true;
      @Nullable Signal signal = null;
      while (signal == null) {
        sweep(reconcilers);
        if (canWatchMore(reconcilers)) {
          signals.add(new Signal.Failed("another namespace can be watched"));
        }
        signal = signals.poll(SWEEP.toMillis(), TimeUnit.MILLISECONDS);
      }
      if (signal instanceof Signal.Failed(String why)) {
        LOG.log(System.Logger.Level.WARNING, "operator: {0}; starting again", why);
      }
    } finally {
      leading = false;
    }
  }

  private static boolean canWatchMore(ResourceReconcilers reconcilers) {
    try {
      return reconcilers.canWatchMore();
    } catch (RuntimeException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "operator: namespaces that are not watched cannot be read, retrying: {0}",
          e.toString());
      return false;
    }
  }

  private static void sweep(ResourceReconcilers reconcilers) {
    try {
      reconcilers.sweep();
    } catch (UnavailableException | RuntimeException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "operator: search for deleted resources failed, retrying: {0}",
          e.toString());
    }
  }

  /** Stops the reconcilers and releases the lease. Runs continue. */
  @Override
  public void close() {
    closed = true;
    signals.add(new Signal.Closed());
    try {
      if (!thread.join(END)) {
        LOG.log(System.Logger.Level.WARNING, "operator: did not stop within {0}", END);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      client.close();
    }
  }
}
