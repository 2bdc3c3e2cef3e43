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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A run's events, from one position on until the run has ended: each exactly once, in order, over
 * broken connections and restarts of the server. Used by one thread.
 */
public final class EventFeed {
  private static final int MOST_TRIES = 60;

  private final Client client;
  private final String run;
  private long position;

  /**
   * @param after events up to this position are left out; 0 for none
   */
  public EventFeed(Client client, String run, long after) {
    this.client = client;
    this.run = run;
    this.position = after;
  }

  /**
   * Gives every event to {@code sink} until it says false, or the run has ended.
   *
   * @return the last event seen; null when there was none
   * @throws CliFailure when the server stays away for a minute
   */
  public @Nullable RunEvent follow(Predicate<RunEvent> sink) {
    RunEvent last = null;
    int tries = 0;
    while (true) {
      try (ServerSentEvents stream = open()) {
        for (ServerSentEvents.Message message = stream.next();
            message != null;
            message = stream.next()) {
          RunEvent event = RunEvent.of(message);
          if (event.position() <= position) {
            continue;
          }
          position = event.position();
          tries = 0;
          last = event;
          if (!sink.test(event) || event.isLast()) {
            return event;
          }
        }
        if (ended()) {
          return last;
        }
      } catch (CliFailure e) {
        if (e.code() == ExitCode.TIMEOUT) {
          // Nothing happened for an hour: a run may wait for a person for weeks.
          continue;
        }
        if (e.code() != ExitCode.UNREACHABLE && e.code() != ExitCode.SERVER
            || tries == MOST_TRIES) {
          throw e;
        }
      } catch (IOException e) {
        if (tries == MOST_TRIES) {
          throw CliFailure.of(
              ExitCode.UNREACHABLE, client.server() + " broke the stream of events off", e);
        }
      }
      tries++;
      pause();
    }
  }

  private ServerSentEvents open() {
    return new ServerSentEvents(
        client.stream(
            Query.of("/runs/" + run + "/events").with("after", position).toString(),
            "text/event-stream",
            position == 0 ? Map.of() : Map.of("Last-Event-ID", Long.toString(position)),
            Client.FOLLOW));
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

  private static void pause() {
    try {
      TimeUnit.SECONDS.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliFailure.of(ExitCode.INTERRUPTED, "interrupted", e);
    }
  }
}
