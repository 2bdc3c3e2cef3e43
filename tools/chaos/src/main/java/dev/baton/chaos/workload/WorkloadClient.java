/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.ApiResponseRecord.Request;
import dev.baton.chaos.history.ChaosHistoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Starts runs, follows them until they end, answers their approvals, and records every response.
 * Repeats a request without a response with the same key. Thread-safe.
 */
public final class WorkloadClient implements AutoCloseable {
  private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled", "lost");
  private static final int BETWEEN_MS = 400;
  private static final int PAGE = 1000;
  private static final int LIST_MS = 1_000;
  private static final int LISTED = 30;

  private final ChaosApiClient api;
  private final Path ledger;
  private final String effects;
  private final LongSupplier clock;
  private final ConcurrentLinkedQueue<ApiResponseRecord> answers = new ConcurrentLinkedQueue<>();

  /** The time at which all waits end, on the clock, in milliseconds. */
  private final AtomicLong deadline = new AtomicLong(Long.MAX_VALUE);

  /**
   * @param urls of the orchestrators, used in turn
   * @param ledger where steps append their effects
   * @param effects URL of the effect server
   * @param key an API key of an operator
   * @param clock milliseconds since the start of the history
   */
  public WorkloadClient(
      List<String> urls, String key, Path ledger, String effects, LongSupplier clock) {
    this.api = new ChaosApiClient(urls, key);
    this.ledger = ledger;
    this.effects = effects;
    this.clock = clock;
  }

  /** Ends all waits at that time. */
  public void endAt(long atMs) {
    deadline.set(atMs);
  }

  /** Returns all responses, in the order of arrival. */
  public List<ApiResponseRecord> answers() {
    return List.copyOf(answers);
  }

  /** Stores the definition. */
  public void push(ChaosWorkload workload) throws IOException, InterruptedException {
    ChaosApiClient.Reply reply =
        api.post(
            "/workflows", "application/yaml", "push-" + workload.name(), workload.definition());
    if (reply.status() >= 300) {
      throw new IOException(workload.workflow() + " was not stored: " + reply);
    }
  }

  /**
   * Starts a run.
   *
   * @param key identifies the request when it is repeated
   * @return its id
   * @throws IOException when the API refuses it, or the deadline has passed
   */
  public String create(ChaosWorkload workload, String key)
      throws IOException, InterruptedException {
    ObjectNode body =
        ChaosHistoryStore.JSON.createObjectNode().put("workflow", workload.workflow());
    body.putObject("input").put("ledger", ledger.toString()).put("effects", effects);
    while (true) {
      long asked = clock.getAsLong();
      try {
        ChaosApiClient.Reply reply = api.post("/runs", "application/json", key, body.toString());
        if (reply.status() == 201) {
          String run = reply.body().path("id").asText();
          record(asked, Request.CREATE, run, reply);
          return run;
        }
        if (reply.status() < 500 && reply.status() != 429) {
          throw new IllegalStateException("POST /runs was refused: " + reply);
        }
      } catch (IOException unanswered) {
        // Its effect is unknown: the retry uses the same key.
        pause();
        continue;
      }
      pause();
    }
  }

  /**
   * Returns the packs that the newest checkpoint of a run under way has and the one before does not
   * have, as 64 hexadecimal digits.
   *
   * @param random selects the run
   * @return empty when no run has such a checkpoint
   */
  public List<String> newestPacks(Random random) throws IOException, InterruptedException {
    List<String> runs = new ArrayList<>();
    for (JsonNode run : body("/runs?limit=" + PAGE).path("runs")) {
      if (!ENDED.contains(run.path("status").asText())) {
        runs.add(run.path("id").asText());
      }
    }
    Collections.sort(runs);
    Collections.shuffle(runs, random);
    for (String run : runs) {
      List<Set<String>> newest = new ArrayList<>();
      for (JsonNode checkpoint : body("/checkpoints?limit=2&run=" + run).path("checkpoints")) {
        newest.add(packs(checkpoint.path("id").asText()));
      }
      if (newest.size() > 1) {
        newest.getFirst().removeAll(newest.getLast());
      }
      if (!newest.isEmpty() && !newest.getFirst().isEmpty()) {
        return List.copyOf(newest.getFirst());
      }
    }
    return List.of();
  }

  private Set<String> packs(String checkpoint) throws IOException, InterruptedException {
    Set<String> packs = new TreeSet<>();
    body("/checkpoints/" + checkpoint)
        .at("/manifest/workspace/packs")
        .forEach(pack -> packs.add(pack.path("digest").asText().substring("sha256:".length())));
    return packs;
  }

  private JsonNode body(String path) throws IOException, InterruptedException {
    ChaosApiClient.Reply reply = api.get(path);
    if (reply.status() != 200) {
      throw new IOException("GET " + path + ": " + reply);
    }
    return reply.body();
  }

  /**
   * Polls a run until it ends or the deadline passes; resumes it when it is paused.
   *
   * @param pauseAt the poll at which it is paused, from 1; 0 for never
   * @return the last response
   */
  public JsonNode follow(String run, int pauseAt) throws InterruptedException {
    JsonNode last = ChaosHistoryStore.JSON.createObjectNode();
    for (int look = 1; clock.getAsLong() < deadline.get(); look++) {
      try {
        if (look == pauseAt) {
          // The status shows whether it was paused: a run that has just ended cannot be.
          command(run, "pause");
        }
        ChaosApiClient.Reply reply = look(run);
        if (reply.status() == 200) {
          last = reply.body();
          if (ENDED.contains(last.path("status").asText())) {
            return last;
          }
          if (last.path("status").asText().equals("paused")) {
            command(run, "resume");
          }
          for (JsonNode waiting : last.path("waiting")) {
            answer(run, waiting.path("approval").asText());
          }
        }
      } catch (IOException unanswered) {
        // The effect is unknown: retried.
        pause();
        continue;
      }
      pause();
    }
    return last;
  }

  /** Polls the list of runs until the thread is interrupted. */
  public void followList() {
    while (true) {
      try {
        TimeUnit.MILLISECONDS.sleep(LIST_MS);
        long asked = clock.getAsLong();
        ChaosApiClient.Reply reply = api.get("/runs?limit=" + LISTED);
        long answered = clock.getAsLong();
        for (JsonNode run : reply.body().path("runs")) {
          String id = run.path("id").asText();
          answers.add(
              new ApiResponseRecord(asked, answered, Request.LIST, id, reply.status(), run));
        }
      } catch (IOException unanswered) {
        // The effect is unknown: retried.
        continue;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Polls a run once and records the response. */
  public void lookAgain(String run) throws IOException, InterruptedException {
    look(run);
  }

  private ChaosApiClient.Reply look(String run) throws IOException, InterruptedException {
    long asked = clock.getAsLong();
    ChaosApiClient.Reply reply = api.get("/runs/" + run);
    record(asked, Request.RUN, run, reply);
    return reply;
  }

  private void command(String run, String what) throws IOException, InterruptedException {
    api.post("/runs/" + run + "/" + what, "application/json", what + "-" + run, "{}");
  }

  private void answer(String run, String approval) throws IOException, InterruptedException {
    long asked = clock.getAsLong();
    ChaosApiClient.Reply reply =
        api.post(
            "/approvals/" + approval,
            "application/json",
            "answer-" + approval,
            "{\"answer\":{\"approved\":true}}");
    ObjectNode body = ChaosHistoryStore.JSON.createObjectNode().put("approval", approval);
    body.set("reply", reply.body());
    record(asked, Request.ANSWER, run, new ChaosApiClient.Reply(reply.status(), body));
  }

  /**
   * Records the store's copy of a run's trace, once it has caught up with the log.
   *
   * @param last the id of the record that it must have
   * @return whether it has, within the bound
   */
  public boolean events(String run, String last, long boundMs) throws InterruptedException {
    long until = clock.getAsLong() + boundMs;
    boolean there = false;
    while (!there) {
      long asked = clock.getAsLong();
      try {
        ObjectNode body = ChaosHistoryStore.JSON.createObjectNode();
        int status = pages(run, body.putArray("events"));
        there = body.path("events").findValuesAsText("id").contains(last);
        if (there || clock.getAsLong() > until) {
          record(asked, Request.EVENTS, run, new ChaosApiClient.Reply(status, body));
          return there;
        }
      } catch (IOException unanswered) {
        if (clock.getAsLong() > until) {
          return false;
        }
      }
      pause();
    }
    return true;
  }

  private int pages(String run, ArrayNode ids) throws IOException, InterruptedException {
    long after = 0;
    while (true) {
      ChaosApiClient.Reply page =
          api.get("/runs/" + run + "/events?limit=" + PAGE + "&after=" + after);
      JsonNode events = page.body().path("events");
      for (JsonNode event : events) {
        ids.addObject().put("id", event.path("id").asText());
        after = event.path("position").asLong();
      }
      if (page.status() != 200 || events.size() < PAGE) {
        return page.status();
      }
    }
  }

  private void record(long asked, Request request, String run, ChaosApiClient.Reply reply) {
    answers.add(
        new ApiResponseRecord(
            asked, clock.getAsLong(), request, run, reply.status(), reply.body()));
  }

  private void pause() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(BETWEEN_MS);
  }

  @Override
  public void close() {
    api.close();
  }
}
