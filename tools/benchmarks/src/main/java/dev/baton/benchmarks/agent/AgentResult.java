/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.agent;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.protocol.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * The measurements.
 *
 * @param files in the workspace
 * @param speeds of the model, one row each
 */
public record AgentResult(
    Instant at, String machine, int files, List<Speed> speeds, Resume resume, Stored stored) {
  public AgentResult {
    speeds = List.copyOf(speeds);
  }

  /**
   * Sessions with a model of one speed. Each distribution is of the times from a request at the
   * endpoint to the next one.
   *
   * @param model time that the model takes for an answer
   * @param alone the agent speaks to the endpoint itself
   * @param gateway in an agent step with {@code cut: none}
   * @param cuts in an agent step that captures files and agent state at each turn
   */
  public record Speed(
      Duration model,
      int turns,
      DurationDistribution alone,
      DurationDistribution gateway,
      DurationDistribution cuts) {
    double gatewayAddsMillis(double percent) {
      return gateway.millis(percent) - alone.millis(percent);
    }

    double cutAddsMillis(double percent) {
      return cuts.millis(percent) - alone.millis(percent);
    }
  }

  /**
   * The resume of a session at its last turn, after SIGKILL of its runner.
   *
   * @param turns of the session
   * @param killedToRunnerMillis from the kill to the next runner's start
   * @param runnerToRequestMillis from then to the agent's request at the endpoint
   * @param aloneMillis from the agent's own start to its request, with the same conversation
   */
  public record Resume(
      int turns, double killedToRunnerMillis, double runnerToRequestMillis, double aloneMillis) {
    double addsMillis() {
      return runnerToRequestMillis - aloneMillis;
    }
  }

  /**
   * What the session has added to the object store.
   *
   * @param cuts number of turn cuts
   * @param treeBytes of the workspace before the session, as stored
   * @param transcriptBytes of the conversation at its end, compressed by Deflate
   * @param sessionBytes of the workspace and all turn cuts, as stored
   */
  public record Stored(int cuts, long treeBytes, long transcriptBytes, long sessionBytes) {
    /** All cuts, as a multiple of the last state. */
    double ratio() {
      return (double) sessionBytes / (treeBytes + transcriptBytes);
    }
  }

  public String table() {
    StringBuilder page = new StringBuilder("# Agents\n\n");
    page.append(at).append(", ").append(machine).append(".\n");
    page.append(
        String.format(
            Locale.ROOT,
            "%,d files in the workspace. Times from a request at the endpoint to the next; median / p99.%n%n",
            files));
    page.append(
        "| model takes | turns | agent alone | with the gateway | adds | with turn cuts | adds |\n");
    page.append("|--:|--:|--:|--:|--:|--:|--:|\n");
    for (Speed speed : speeds) {
      page.append(
          String.format(
              Locale.ROOT,
              "| %d ms | %,d | %s | %s | %.1f / %.1f ms | %s | %.1f / %.1f ms |%n",
              speed.model().toMillis(),
              speed.turns(),
              pair(speed.alone()),
              pair(speed.gateway()),
              speed.gatewayAddsMillis(50),
              speed.gatewayAddsMillis(99),
              pair(speed.cuts()),
              speed.cutAddsMillis(50),
              speed.cutAddsMillis(99)));
    }
    page.append(
        String.format(
            Locale.ROOT,
            "%nResume of a session of %,d turns after SIGKILL of its runner: next runner after %,.0f ms,"
                + " its request at the endpoint %,.0f ms later; the agent alone needs %,.0f ms from"
                + " its start to its request, so Baton adds %,.0f ms.%n",
            resume.turns(),
            resume.killedToRunnerMillis(),
            resume.runnerToRequestMillis(),
            resume.aloneMillis(),
            resume.addsMillis()));
    page.append(
        String.format(
            Locale.ROOT,
            "%nObject store: %,.1f kB for the workspace and %,d turn cuts; the last state is about"
                + " %,.1f kB (workspace %,.1f kB, conversation %,.1f kB): %.2f times.%n",
            stored.sessionBytes() / 1000.0,
            stored.cuts(),
            (stored.treeBytes() + stored.transcriptBytes()) / 1000.0,
            stored.treeBytes() / 1000.0,
            stored.transcriptBytes() / 1000.0,
            stored.ratio()));
    return page.toString();
  }

  private static String pair(DurationDistribution times) {
    return String.format(Locale.ROOT, "%.1f / %.1f ms", times.millis(50), times.millis(99));
  }

  /** Returns one line of JSON. */
  public String json() {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("at", at.toString()).put("machine", machine).put("files", files);
    ArrayNode rows = json.putArray("speeds");
    for (Speed speed : speeds) {
      ObjectNode row =
          rows.addObject().put("model_ms", speed.model().toMillis()).put("turns", speed.turns());
      put(row.putObject("alone"), speed.alone());
      put(row.putObject("gateway"), speed.gateway());
      put(row.putObject("cuts"), speed.cuts());
    }
    json.putObject("resume")
        .put("turns", resume.turns())
        .put("killed_to_runner_ms", resume.killedToRunnerMillis())
        .put("runner_to_request_ms", resume.runnerToRequestMillis())
        .put("alone_ms", resume.aloneMillis())
        .put("adds_ms", resume.addsMillis());
    json.putObject("stored")
        .put("cuts", stored.cuts())
        .put("tree_bytes", stored.treeBytes())
        .put("transcript_bytes", stored.transcriptBytes())
        .put("session_bytes", stored.sessionBytes())
        .put("ratio", stored.ratio());
    return json.toString();
  }

  private static void put(ObjectNode row, DurationDistribution times) {
    row.put("p50_ms", times.millis(50)).put("p99_ms", times.millis(99));
  }
}
