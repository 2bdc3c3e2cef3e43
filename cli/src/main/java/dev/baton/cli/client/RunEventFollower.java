/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.protocol.state.RunStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads a run's events from a position until the run has ended: each exactly once and in order,
 * across broken connections, idle ones whose peer is dead, and server restarts. Used by one thread.
 */
public final class RunEventFollower {
  private static final Duration AWAY_WITHIN = Duration.ofMinutes(1);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** The last message of a stream that the server ends, with a problem document. */
  private static final String PROBLEM = "problem";

  private static final int UNAUTHENTICATED = 401;

  private final OrchestratorRestClient client;
  private final String run;
  private final Duration silence;
  private final Duration patience;
  private final RetryBackoff pause = new RetryBackoff(FIRST_PAUSE, LONGEST_PAUSE);
  private long position;
  private @Nullable ApiRunEvent last;
  private boolean away;
  private long awaySince;

  /**
   * @param after events up to this position are skipped; 0 skips none
   */
  public RunEventFollower(OrchestratorRestClient client, String run, long after) {
    this(client, run, after, OrchestratorRestClient.FOLLOW, AWAY_WITHIN);
  }

  /**
   * @param silence idle time after which it reconnects
   * @param patience how long the server may be unreachable
   */
  RunEventFollower(
      OrchestratorRestClient client, String run, long after, Duration silence, Duration patience) {
    this.client = client;
    this.run = run;
    this.position = after;
    this.silence = silence;
    this.patience = patience;
  }

  /**
   * Passes every event to {@code sink} until it returns false, or the run has ended.
   *
   * @return the last event seen; null when there was none
   * @throws CliException when the server is unreachable for a minute, to which the timeout of the
   *     current request may add, or refuses the caller, also while it follows
   */
  public @Nullable ApiRunEvent follow(Predicate<ApiRunEvent> sink) {
    return follow(sink, ApiRunEvent::isLast);
  }

  /**
   * Like {@link #follow(Predicate)}, but stops after the first event that matches {@code end}.
   *
   * @param end evaluated for every event, after {@code sink}
   */
  public @Nullable ApiRunEvent follow(Predicate<ApiRunEvent> sink, Predicate<ApiRunEvent> end) {
    while (true) {
      try {
        if (read(sink, end) || ended()) {
          return last;
        }
        // The stream has ended, but the run has not: the server is reachable and reports this.
        away = false;
      } catch (CliException e) {
        boolean passing =
            switch (e.code()) {
              case UNREACHABLE, SERVER, TIMEOUT -> true;
              case OK,
                  FAILED,
                  USAGE,
                  NOT_FOUND,
                  AMBIGUOUS,
                  CONFLICT,
                  PAUSED,
                  PIPE,
                  INTERRUPTED,
                  FENCED,
                  UNKNOWN ->
                  false;
            };
        if (!passing || e.isRefusal() || isAwayForLong()) {
          throw e;
        }
      } catch (IOException e) {
        if (isAwayForLong()) {
          throw CliException.of(
              CliExitCode.UNREACHABLE, client.server() + " closed the event stream early", e);
        }
      }
      pause.next();
    }
  }

  /**
   * Records a failure. Returns whether the server has been unreachable for longer than the limit.
   */
  private boolean isAwayForLong() {
    long now = System.nanoTime();
    if (!away) {
      away = true;
      awaySince = now;
    }
    return now - awaySince >= patience.toNanos();
  }

  /** Reads one connection. Returns true when no further event is needed. */
  private boolean read(Predicate<ApiRunEvent> sink, Predicate<ApiRunEvent> end) throws IOException {
    try (IdleTimeoutInputStream limit = new IdleTimeoutInputStream(open(), silence);
        ServerSentEventReader stream = new ServerSentEventReader(limit)) {
      for (ServerSentEventReader.Message message = stream.next();
          message != null;
          message = stream.next()) {
        if (message.event().equals(PROBLEM)) {
          throw ProblemFormatter.failure(
              client.server(), UNAUTHENTICATED, message.data().getBytes(StandardCharsets.UTF_8));
        }
        ApiRunEvent event = ApiRunEvent.of(message);
        if (event.position() <= position) {
          continue;
        }
        position = event.position();
        away = false;
        pause.reset();
        last = event;
        if (!sink.test(event) || end.test(event)) {
          return true;
        }
      }
      return false;
    } catch (CliException e) {
      if (e.code() == CliExitCode.TIMEOUT) {
        // No event so far: a run may wait for a person for weeks.
        return false;
      }
      throw e;
    }
  }

  private InputStream open() {
    return client.stream(
        UrlQueryBuilder.of("/runs/" + run + "/events").with("after", position).toString(),
        "text/event-stream",
        position == 0 ? Map.of() : Map.of("Last-Event-ID", Long.toString(position)),
        silence);
  }

  private boolean ended() {
    String status = client.get("/runs/" + run).path("status").asText();
    return RunStatus.of(status).filter(RunStatus::isTerminal).isPresent();
  }
}
