/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.ApiResponseRecord.Request;
import dev.baton.chaos.history.ChaosHistory;
import dev.baton.chaos.history.FaultRecord;
import dev.baton.chaos.history.LedgerEffect;
import dev.baton.chaos.history.LoggedRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Simulates bugs of the system. Each plants its symptom once, at a place chosen by the seed, into a
 * clean history.
 */
enum SeededBug {
  /** A replacement acts although its assignment was not logged before. */
  FENCE_SKIPPED("fence-comes-first") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord fence =
          any(history, random, r -> isTakeover(r) && counts(history, r) && acts(history, r));
      return history.withLog(without(history, fence));
    }
  },
  /** The replacement acts, but the processes of the old runner continue. */
  OLD_RUNNER_NOT_STOPPED("old-epoch-has-no-effect") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      List<LedgerEffect> ledger = new ArrayList<>(history.ledger());
      List<LedgerEffect> replaced =
          ledger.stream()
              .filter(
                  effect ->
                      effect.epoch() > 0
                          && ledger.stream()
                              .anyMatch(
                                  other ->
                                      other.run().equals(effect.run())
                                          && other.epoch() > effect.epoch()))
              .toList();
      LedgerEffect old = one(replaced, random);
      ledger.add(
          new LedgerEffect(
              ledger.size() + 1,
              old.run(),
              old.step(),
              old.visit(),
              old.attempt(),
              old.epoch(),
              "tick",
              old.pid(),
              old.wallNanos()));
      return history.withLedger(ledger);
    }
  },
  /** An old epoch's completion comes after the fence, and the API counts it. */
  LEASE_DROPPED("api-follows-the-log") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord fence = any(history, random, r -> isTakeover(r) && counts(history, r));
      int old = fence.data().path("epoch").asInt() - 1;
      long seq =
          history.log().stream()
                  .filter(r -> r.run().equals(fence.run()) && r.epoch() == old)
                  .mapToLong(LoggedRecord::seq)
                  .max()
                  .orElse(0)
              + 1;
      JsonNode data = ChaosHistoryBuilder.json("{'step':'of_the_old_epoch','visit':1}");
      LoggedRecord late =
          new LoggedRecord(
              fence.partition(), fence.offset(), fence.run(), old, seq, "step_completed", data);
      return overcounted(history.withLog(after(history, fence, late)), fence.run(), fence);
    }
  },
  /** A completion is delivered twice, and counted twice. */
  SEQ_IGNORED("api-follows-the-log") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord done = any(history, random, r -> r.is("step_completed"));
      return overcounted(history.withLog(after(history, done, done)), done.run(), done);
    }
  },
  /** A step that had completed runs again in the next epoch. */
  STEP_REPEATED("completed-step-stays") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      RunHistoryIndex evidence = new RunHistoryIndex(history);
      List<LedgerEffect> again = new ArrayList<>();
      for (RunLogReplay reading : evidence.readings()) {
        for (int epoch : reading.assigned()) {
          for (LoggedRecord done : reading.stoodAt(epoch).values()) {
            again.add(
                new LedgerEffect(
                    history.ledger().size() + 1,
                    done.run(),
                    done.text("step"),
                    done.data().path("visit").asInt(1),
                    1,
                    epoch,
                    "begin",
                    1,
                    1));
          }
        }
      }
      List<LedgerEffect> ledger = new ArrayList<>(history.ledger());
      ledger.add(one(again, random));
      return history.withLedger(ledger);
    }
  },
  /** A step completes a second time. */
  STEP_COMPLETED_AGAIN("completed-step-stays") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord done = any(history, random, r -> r.is("step_completed") && counts(history, r));
      List<LoggedRecord> log = new ArrayList<>();
      boolean passed = false;
      for (LoggedRecord record : history.log()) {
        boolean later = passed && record.run().equals(done.run()) && record.epoch() == done.epoch();
        log.add(later && record.seq() > done.seq() ? at(record, record.seq() + 1) : record);
        if (record == done) {
          log.add(at(done, done.seq() + 1));
          passed = true;
        }
      }
      return history.withLog(log);
    }
  },
  /** The log has lost an acknowledged completion. */
  COMPLETION_LOST("log-keeps-what-was-seen") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      return history.withLog(without(history, any(history, random, r -> r.is("step_completed"))));
    }
  },
  /** The store has lost an acknowledged completion. */
  COMPLETION_NOT_STORED("acknowledged-completion-survives") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord lost = any(history, random, r -> r.is("step_completed") && counts(history, r));
      return history.withAnswers(
          history.answers().stream()
              .map(
                  answer -> {
                    if (answer.request() != Request.EVENTS || !answer.run().equals(lost.run())) {
                      return answer;
                    }
                    ObjectNode body = answer.body().deepCopy();
                    ArrayNode events = body.putArray("events");
                    for (JsonNode event : answer.body().path("events")) {
                      if (!event.path("id").asText().equals(lost.id())) {
                        events.add(event);
                      }
                    }
                    return with(answer, body);
                  })
              .toList());
    }
  },
  /** A run has another output. */
  OUTPUT_WRONG("output-as-undisturbed") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord end = any(history, random, r -> r.is("run_completed"));
      ObjectNode data = end.data().deepCopy();
      data.putObject("output").set("value", TextNode.valueOf("a wrong output"));
      return history.withLog(
          history.log().stream().map(r -> r.id().equals(end.id()) ? with(r, data) : r).toList());
    }
  },
  /** A run stops making progress. */
  RUN_STUCK("every-run-ends") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord end = any(history, random, r -> r.is("run_completed"));
      return history
          .withLog(history.log().stream().filter(r -> !r.id().equals(end.id())).toList())
          .withAnswers(
              history.answers().stream()
                  .filter(
                      a ->
                          !a.run().equals(end.run())
                              || !a.body().path("status").asText().equals("completed"))
                  .toList());
    }
  },
  /** The API returns an older state after a newer one. */
  API_GOES_BACK("api-follows-the-log") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      String run = one(history.runs(), random).run();
      List<ApiResponseRecord> told =
          history.answers().stream()
              .filter(a -> a.run().equals(run) && a.request() == Request.RUN && a.status() == 200)
              .toList();
      ApiResponseRecord old =
          one(
              told.stream()
                  .filter(a -> !a.body().path("status").asText().equals("completed"))
                  .toList(),
              random);
      List<ApiResponseRecord> answers = new ArrayList<>(history.answers());
      long now = answers.stream().mapToLong(ApiResponseRecord::answeredMs).max().orElseThrow();
      answers.add(
          new ApiResponseRecord(now + 1, now + 2, old.request(), run, old.status(), old.body()));
      return history.withAnswers(answers);
    }
  },
  /** An acknowledged run is lost. */
  RUN_FORGOTTEN("acknowledged-run-survives") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      String run = one(history.runs(), random).run();
      return history.withLog(history.log().stream().filter(r -> !r.run().equals(run)).toList());
    }
  },
  /** An acknowledged answer to an approval is lost. */
  ANSWER_FORGOTTEN("acknowledged-answer-survives") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord answered = any(history, random, r -> r.is("approval_answered"));
      return history.withLog(
          history.log().stream().filter(r -> !r.id().equals(answered.id())).toList());
    }
  },
  /** Two runners hold the same epoch. */
  TWO_RUNNERS("one-runner-per-epoch") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord first = any(history, random, r -> r.is("runner_started"));
      ObjectNode data = first.data().deepCopy();
      LoggedRecord second = with(at(first, first.seq() + 1), data.put("runner", "another"));
      return history.withLog(after(history, first, second));
    }
  },
  /** Two replicas assign the same epoch. */
  EPOCH_ASSIGNED_TWICE("one-runner-per-epoch") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord first = any(history, random, r -> r.is("runner_assigned") && counts(history, r));
      return history.withLog(after(history, first, at(first, first.seq() + 1)));
    }
  },
  /** A record never reached the log, but its successors did. */
  RECORD_SKIPPED("lanes-have-no-holes") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord gone = any(history, random, r -> r.is("runner_started") && counts(history, r));
      return history.withLog(
          history.log().stream().filter(r -> !r.id().equals(gone.id())).toList());
    }
  },
  /** A client's partitioner wrote a record to another partition. */
  RECORD_ELSEWHERE("records-are-at-home") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord astray = any(history, random, r -> !r.is("run_created"));
      return history.withLog(
          history.log().stream().map(r -> r == astray ? elsewhere(r) : r).toList());
    }
  },
  /** The API returns the partition that the topic's present size gives. */
  OTHER_HOME_TOLD("records-are-at-home") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      ApiResponseRecord response =
          one(history.answers().stream().filter(a -> a.request() == Request.RUN).toList(), random);
      ObjectNode body = response.body().deepCopy();
      return history.withAnswers(
          history.answers().stream()
              .map(a -> a == response ? with(a, body.put("home_partition", 5)) : a)
              .toList());
    }
  },
  /** A runner passes over an intact checkpoint. */
  DEGRADED_WITHOUT_DAMAGE("degraded-has-a-cause") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      return degraded(history, random)
          .withFaults(
              history.faults().stream()
                  .filter(f -> !f.kind().equals("DAMAGE_CHECKPOINT"))
                  .toList());
    }
  },
  /** The API does not report that a run is degraded. */
  DEGRADED_NOT_REPORTED("degraded-has-a-cause") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      List<FaultRecord> faults = new ArrayList<>(history.faults());
      faults.add(
          new FaultRecord(
              faults.size() + 1, "DAMAGE_CHECKPOINT", "object-store", 0, 0, true, "1 deleted"));
      return degraded(history, random).withFaults(faults);
    }
  },
  /** One id, two events. */
  ID_REUSED("lanes-have-no-holes") {
    @Override
    ChaosHistory plant(ChaosHistory history, Random random) {
      LoggedRecord first = any(history, random, r -> r.is("step_completed"));
      ObjectNode data = first.data().deepCopy();
      return history.withLog(after(history, first, with(first, data.put("step", "other"))));
    }
  };

  /** The invariant that must be violated. */
  final String breaks;

  SeededBug(String breaks) {
    this.breaks = breaks;
  }

  abstract ChaosHistory plant(ChaosHistory history, Random random);

  private static boolean isTakeover(LoggedRecord record) {
    return record.is("runner_assigned") && record.data().path("epoch").asInt() > 1;
  }

  /** Whether the runner of this assignment lived long enough to write a record. */
  private static boolean acts(ChaosHistory history, LoggedRecord fence) {
    int epoch = fence.data().path("epoch").asInt();
    return history.log().stream().anyMatch(r -> r.run().equals(fence.run()) && r.epoch() == epoch);
  }

  private static boolean counts(ChaosHistory history, LoggedRecord record) {
    return new RunHistoryIndex(history)
        .reading(record.run()).records().stream()
            .anyMatch(placed -> placed.record() == record && placed.counts());
  }

  private static LoggedRecord any(
      ChaosHistory history, Random random, Predicate<LoggedRecord> which) {
    return one(history.log().stream().filter(which).toList(), random);
  }

  private static <T> T one(List<T> list, Random random) {
    if (list.isEmpty()) {
      throw new AssertionError("the history has no place for this bug");
    }
    return list.get(random.nextInt(list.size()));
  }

  private static List<LoggedRecord> without(ChaosHistory history, LoggedRecord gone) {
    return history.log().stream().filter(record -> record != gone).toList();
  }

  /** Inserts at the same offset, which keeps the order of the list. */
  private static List<LoggedRecord> after(
      ChaosHistory history, LoggedRecord place, LoggedRecord more) {
    return history.log().stream()
        .flatMap(record -> record == place ? Stream.of(record, more) : Stream.of(record))
        .toList();
  }

  /** Adds a {@code run_degraded} where a runner starts, without its trace in the API. */
  private static ChaosHistory degraded(ChaosHistory history, Random random) {
    LoggedRecord started = any(history, random, r -> r.is("runner_started") && counts(history, r));
    LoggedRecord degraded =
        new LoggedRecord(
            started.partition(),
            started.offset(),
            started.run(),
            started.epoch(),
            started.seq() + 1,
            "run_degraded",
            ChaosHistoryBuilder.json("{'damaged':[{'branch':'','digest':'x'}],'after':''}"));
    return history.withLog(after(history, started, degraded));
  }

  private static LoggedRecord at(LoggedRecord record, long seq) {
    return new LoggedRecord(
        record.partition(),
        record.offset(),
        record.run(),
        record.epoch(),
        seq,
        record.type(),
        record.data());
  }

  private static LoggedRecord elsewhere(LoggedRecord record) {
    return new LoggedRecord(
        record.partition() + 3,
        record.offset(),
        record.run(),
        record.epoch(),
        record.seq(),
        record.type(),
        record.data());
  }

  private static LoggedRecord with(LoggedRecord record, JsonNode data) {
    return new LoggedRecord(
        record.partition(),
        record.offset(),
        record.run(),
        record.epoch(),
        record.seq(),
        record.type(),
        data);
  }

  private static ApiResponseRecord with(ApiResponseRecord answer, JsonNode body) {
    return new ApiResponseRecord(
        answer.askedMs(),
        answer.answeredMs(),
        answer.request(),
        answer.run(),
        answer.status(),
        body);
  }

  /** Adds one completion to all responses that contain more than existed at that record. */
  private static ChaosHistory overcounted(ChaosHistory history, String run, LoggedRecord since) {
    int then =
        (int)
            history.log().stream()
                .takeWhile(record -> record != since)
                .filter(r -> r.run().equals(run) && r.is("step_completed") && counts(history, r))
                .count();
    return history.withAnswers(
        history.answers().stream()
            .map(
                answer -> {
                  int told = answer.body().path("completed_steps").asInt(-1);
                  boolean later =
                      answer.run().equals(run)
                          && (told > then
                              || answer.body().path("status").asText().equals("completed"));
                  if (answer.request() != Request.RUN || !later) {
                    return answer;
                  }
                  ObjectNode body = answer.body().deepCopy();
                  return with(answer, body.put("completed_steps", told + 1));
                })
            .toList());
  }
}
