/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.ExitCode;
import dev.baton.protocol.state.RunStatus;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A run's events, from one position on until the run has ended: each exactly once, in order, over
 * broken, silently dead connections and restarts of the server. Used by one thread.
 */
public final class EventFeed {
  /** With the pauses in between, a minute. */
  private static final int MOST_FAILURES = 60;

  private static final long FIRST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 1000;

  private final Client client;
  private final String run;
  private final Duration silence;
  private long position;
  private @Nullable RunEvent last;
  private int failures;
  private long pauseMs = FIRST_PAUSE_MS;

  /**
   * @param after events up to this position are left out; 0 for none
   */
  public EventFeed(Client client, String run, long after) {
    this(client, run, after, Client.FOLLOW);
  }

  /**
   * @param silence after which a connection is made anew
   */
  EventFeed(Client client, String run, long after, Duration silence) {
    this.client = client;
    this.run = run;
    this.position = after;
    this.silence = silence;
  }

  /**
   * Gives every event to {@code sink} until it says false, or the run has ended.
   *
   * @return the last event seen; null when there was none
   * @throws CliFailure when the server stays away for a minute
   */
  public @Nullable RunEvent follow(Predicate<RunEvent> sink) {
    while (true) {
      try {
        if (read(sink) || ended()) {
          return last;
        }
        // The stream is over, the run is not, and the server is there to say so.
        failures = 0;
      } catch (CliFailure e) {
        boolean passing =
            switch (e.code()) {
              case UNREACHABLE, SERVER, TIMEOUT -> true;
              case OK, FAILED, USAGE, NOT_FOUND, AMBIGUOUS, CONFLICT, PIPE, INTERRUPTED -> false;
            };
        if (!passing || ++failures >= MOST_FAILURES) {
          throw e;
        }
      } catch (IOException e) {
        if (++failures >= MOST_FAILURES) {
          throw CliFailure.of(
              ExitCode.UNREACHABLE, client.server() + " broke the stream of events off", e);
        }
      }
      pause();
    }
  }

  /** One connection; true when no event after those is wanted. */
  private boolean read(Predicate<RunEvent> sink) throws IOException {
    try (SilenceLimit limit = new SilenceLimit(open(), silence);
        ServerSentEvents stream = new ServerSentEvents(limit)) {
      for (ServerSentEvents.Message message = next(stream, limit);
          message != null;
          message = next(stream, limit)) {
        RunEvent event = RunEvent.of(message);
        if (event.position() <= position) {
          continue;
        }
        position = event.position();
        failures = 0;
        pauseMs = FIRST_PAUSE_MS;
        last = event;
        if (!sink.test(event) || event.isLast()) {
          return true;
        }
      }
      return false;
    } catch (CliFailure e) {
      if (e.code() == ExitCode.TIMEOUT) {
        // It had nothing to say so far: a run may wait for a person for weeks.
        return false;
      }
      throw e;
    }
  }

  private static ServerSentEvents.@Nullable Message next(
      ServerSentEvents stream, SilenceLimit limit) throws IOException {
    try {
      return stream.next();
    } catch (IOException e) {
      if (limit.isExceeded()) {
        return null;
      }
      throw e;
    }
  }

  private InputStream open() {
    return client.stream(
        Query.of("/runs/" + run + "/events").with("after", position).toString(),
        "text/event-stream",
        position == 0 ? Map.of() : Map.of("Last-Event-ID", Long.toString(position)),
        silence);
  }

  private boolean ended() {
    String status = client.get("/runs/" + run).path("status").asText();
    for (RunStatus known : RunStatus.values()) {
      if (known.word().equals(status)) {
        return known.isTerminal();
      }
    }
    return false;
  }

  private void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(pauseMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliFailure.of(ExitCode.INTERRUPTED, "interrupted", e);
    }
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}
