/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.ChaosHistory;
import dev.baton.chaos.history.ChaosHistoryMetadata;
import dev.baton.chaos.history.ChaosHistoryStore;
import dev.baton.chaos.history.FaultRecord;
import dev.baton.chaos.history.LedgerEffect;
import dev.baton.chaos.history.LoggedRecord;
import dev.baton.chaos.history.ObservedRecord;
import dev.baton.chaos.history.WorkloadRun;
import java.util.ArrayList;
import java.util.List;

/** Builds a history line by line. */
final class ChaosHistoryBuilder {
  static final String RUN = "01jd0000000000000000abcdef";

  private final List<LoggedRecord> log = new ArrayList<>();
  private final List<LedgerEffect> ledger = new ArrayList<>();
  private final List<ApiResponseRecord> answers = new ArrayList<>();
  private final List<ObservedRecord> seen = new ArrayList<>();
  private long clock;

  /**
   * @param lane {@code c/1}, {@code 2/3}
   * @param data with single quotes
   */
  ChaosHistoryBuilder log(String lane, String type, String data) {
    LoggedRecord record =
        LoggedRecord.of(0, log.size(), RUN + "/" + lane, "dev.baton." + type, json(data))
            .orElseThrow();
    log.add(record);
    seen.add(new ObservedRecord(0, record.offset(), record.id(), clock++));
    return this;
  }

  ChaosHistoryBuilder effect(String step, int epoch, int attempt, String kind) {
    ledger.add(
        new LedgerEffect(
            ledger.size() + 1, RUN, step, 1, attempt, epoch, kind, 100 + epoch, clock++));
    return this;
  }

  ChaosHistoryBuilder told(String status, int epoch, int completed) {
    String body =
        "{'status':'%s','epoch':%d,'home_partition':0,'completed_steps':%d%s}"
            .formatted(
                status, epoch, completed, status.equals("completed") ? ",'output':'done'" : "");
    return answer(ApiResponseRecord.Request.RUN, 200, json(body));
  }

  ChaosHistoryBuilder answer(ApiResponseRecord.Request request, int status, JsonNode body) {
    answers.add(new ApiResponseRecord(clock++, clock++, request, RUN, status, body));
    return this;
  }

  static JsonNode json(String text) {
    try {
      return ChaosHistoryStore.JSON.readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }

  /** Builds it with the store's copy of the trace as the last response. */
  ChaosHistory history() {
    ObjectNode events = ChaosHistoryStore.JSON.createObjectNode();
    ArrayNode list = events.putArray("events");
    log.forEach(record -> list.addObject().put("id", record.id()));
    answer(ApiResponseRecord.Request.EVENTS, 200, events);
    return new ChaosHistory(
        new ChaosHistoryMetadata(ChaosHistoryMetadata.FORMAT, 7, clock, clock, 1000),
        List.of(new WorkloadRun(RUN, "hand", json("'done'"))),
        log,
        seen,
        ledger,
        answers,
        List.of(new FaultRecord(1, "KILL_RUNNER", "runner", 3, 3, true, "")));
  }

  /**
   * Adds a run of three steps, one of them an approval, whose runner is replaced during the second.
   */
  static ChaosHistoryBuilder undisturbed() {
    return new ChaosHistoryBuilder()
        .answer(ApiResponseRecord.Request.CREATE, 201, json("{'id':'" + RUN + "'}"))
        .log("c/1", "run_created", "{'kind':'managed'}")
        .told("pending", 0, 0)
        .log("c/2", "runner_assigned", "{'epoch':1,'reason':'start'}")
        .log("1/1", "runner_started", "{'runner':'a'}")
        .log("1/2", "step_started", "{'step':'one'}")
        .effect("one", 1, 1, "begin")
        .effect("one", 1, 1, "end")
        .told("running", 1, 0)
        .log("1/3", "step_completed", "{'step':'one','visit':1,'cut':{'digest':'x'}}")
        .log("1/4", "step_started", "{'step':'two'}")
        .told("running", 1, 1)
        .effect("two", 1, 1, "begin")
        .log("c/3", "runner_assigned", "{'epoch':2,'reason':'runner_exited'}")
        .log("1/5", "step_completed", "{'step':'two','visit':1,'cut':{'digest':'late'}}")
        .told("resuming", 2, 1)
        .log("2/1", "runner_started", "{'runner':'b'}")
        .log("2/2", "step_started", "{'step':'two'}")
        .effect("two", 2, 1, "begin")
        .effect("two", 2, 1, "end")
        .log("2/3", "step_completed", "{'step':'two','visit':1,'cut':{'digest':'y'}}")
        .log("1/3", "step_completed", "{'step':'one','visit':1,'cut':{'digest':'x'}}")
        .log("2/4", "approval_requested", "{'step':'ask','approval':'q'}")
        .told("waiting", 2, 2)
        .answer(ApiResponseRecord.Request.ANSWER, 200, json("{'approval':'q'}"))
        .log("c/4", "approval_answered", "{'step':'ask','approval':'q'}")
        .log("2/5", "step_completed", "{'step':'ask','visit':1}")
        .told("running", 2, 3)
        .log("2/6", "run_completed", "{'output':{'value':'done'}}")
        .told("completed", 2, 3);
  }
}
