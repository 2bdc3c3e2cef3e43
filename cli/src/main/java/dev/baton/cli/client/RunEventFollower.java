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
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A run's events, from one position on until the run has ended: each exactly once, in order, over
 * broken, silently dead connections and restarts of the server. Used by one thread.
 */
public final class RunEventFollower {
  private static final Duration AWAY_WITHIN = Duration.ofMinutes(1);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

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
   * @param after events up to this position are left out; 0 for none
   */
  public RunEventFollower(OrchestratorRestClient client, String run, long after) {
    this(client, run, after, OrchestratorRestClient.FOLLOW, AWAY_WITHIN);
  }

  /**
   * @param silence after which a connection is made anew
   * @param patience how long the server may stay away
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
   * Gives every event to {@code sink} until it says false, or the run has ended.
   *
   * @return the last event seen; null when there was none
   * @throws CliException when the server stays away for a minute, to which the request under way
   *     then may add its own bound
   */
  public @Nullable ApiRunEvent follow(Predicate<ApiRunEvent> sink) {
    return follow(sink, ApiRunEvent::isLast);
  }

  /**
   * {@link #follow(Predicate)} until an event after which no more is wanted.
   *
   * @param end asked after {@code sink}, of every event
   */
  public @Nullable ApiRunEvent follow(Predicate<ApiRunEvent> sink, Predicate<ApiRunEvent> end) {
    while (true) {
      try {
        if (read(sink, end) || ended()) {
          return last;
        }
        // The stream is over, the run is not, and the server is there to say so.
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
        if (!passing || isAwayForLong()) {
          throw e;
        }
      } catch (IOException e) {
        if (isAwayForLong()) {
          throw CliException.of(
              CliExitCode.UNREACHABLE, client.server() + " broke the stream of events off", e);
        }
      }
      pause.next();
    }
  }

  /** Notes a failure; whether the first since the server was there is that long ago. */
  private boolean isAwayForLong() {
    long now = System.nanoTime();
    if (!away) {
      away = true;
      awaySince = now;
    }
    return now - awaySince >= patience.toNanos();
  }

  /** One connection; true when no event after those is wanted. */
  private boolean read(Predicate<ApiRunEvent> sink, Predicate<ApiRunEvent> end) throws IOException {
    try (IdleTimeoutInputStream limit = new IdleTimeoutInputStream(open(), silence);
        ServerSentEventReader stream = new ServerSentEventReader(limit)) {
      for (ServerSentEventReader.Message message = stream.next();
          message != null;
          message = stream.next()) {
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
        // It had nothing to say so far: a run may wait for a person for weeks.
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
