/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Ends the streams of callers whose right has ended: whose API key is revoked or expired, or whose
 * token has expired. Each kind of stream registers here. Thread-safe.
 */
@ApplicationScoped
public class CallerStreamRegistry {
  /** How often the callers of open streams are checked. */
  static final Duration CHECK = Duration.ofSeconds(2);

  /** How long streams continue while the database does not answer whether their keys exist. */
  static final Duration UNCHECKED = Duration.ofMinutes(1);

  private static final Duration SQL = Duration.ofSeconds(10);

  private final CallerAuthenticator authenticator;
  private final Set<OpenStream> streams = ConcurrentHashMap.newKeySet();
  private final PeriodicTask checks;
  private volatile long checkedAt = System.nanoTime();

  @Inject
  CallerStreamRegistry(CallerAuthenticator authenticator) {
    this.authenticator = authenticator;
    this.checks =
        new PeriodicTask(
            "baton-caller-streams",
            CHECK,
            "keys of open streams: cannot be read, retrying",
            this::check);
  }

  void onStart(@Observes StartupEvent event) {
    checks.start();
  }

  @PreDestroy
  void stop() {
    checks.close();
  }

  /** An open stream; closing it twice has no effect. */
  public final class OpenStream implements AutoCloseable {
    private final Caller caller;
    private final Consumer<ProblemException> end;

    private OpenStream(Caller caller, Consumer<ProblemException> end) {
      this.caller = caller;
      this.end = end;
    }

    private void end(ProblemKind kind, String reason) {
      if (streams.remove(this)) {
        end.accept(new ProblemException(kind, reason + ": the stream ends"));
      }
    }

    /** The stream has ended. */
    @Override
    public void close() {
      streams.remove(this);
    }
  }

  /**
   * Registers a stream until it is closed.
   *
   * @param end ends the stream with a reason for its client, without blocking; called at most once,
   *     on another thread
   */
  public OpenStream open(Caller caller, Consumer<ProblemException> end) {
    OpenStream stream = new OpenStream(caller, end);
    streams.add(stream);
    return stream;
  }

  /** Returns a stream that fails, for which {@link #isEnd} holds, when the caller's right ends. */
  public <T> Multi<T> guarded(Caller caller, Multi<T> stream) {
    return Infrastructure.onMultiCreation(new EndableMulti<>(stream, end -> open(caller, end)));
  }

  /** Whether a stream has failed since the right of its caller has ended. */
  public static boolean isEnd(Throwable failure) {
    return failure instanceof ProblemException problem
        && problem.kind() == ProblemKind.UNAUTHENTICATED;
  }

  /** Checks the callers of open streams now. */
  void wake() {
    checks.wake();
  }

  private void check() {
    Instant now = Instant.now();
    for (OpenStream stream : streams) {
      CallerValidity validity = stream.caller.validity();
      if (validity.hasExpired(now)) {
        stream.end(
            ProblemKind.UNAUTHENTICATED, "the %s has expired".formatted(validity.credential()));
      }
    }
    Set<String> stored =
        streams.stream()
            .filter(CallerStreamRegistry::isRevocable)
            .map(stream -> stream.caller.id())
            .collect(Collectors.toSet());
    if (!stored.isEmpty()) {
      endRevoked(stored);
    }
    checkedAt = System.nanoTime();
  }

  private void endRevoked(Set<String> stored) {
    Set<String> revoked;
    try {
      revoked = authenticator.revoked(stored).await().atMost(SQL);
    } catch (RuntimeException e) {
      if (System.nanoTime() - checkedAt > UNCHECKED.toNanos()) {
        streams.stream()
            .filter(CallerStreamRegistry::isRevocable)
            .forEach(
                stream ->
                    stream.end(ProblemKind.UNAVAILABLE, "the API key cannot be checked any more"));
      }
      throw e;
    }
    for (OpenStream stream : streams) {
      if (revoked.contains(stream.caller.id())) {
        stream.end(ProblemKind.UNAUTHENTICATED, "the API key has been revoked");
      }
    }
  }

  private static boolean isRevocable(OpenStream stream) {
    return stream.caller.validity().isRevocable();
  }
}
