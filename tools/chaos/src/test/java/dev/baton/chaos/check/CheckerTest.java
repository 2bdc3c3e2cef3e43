/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.ChaosHistory;
import dev.baton.chaos.history.ChaosHistoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each invariant holds on a clean history, and is violated by the bug that it is for. */
class CheckerTest {
  private static final long SEED = Long.getLong("baton.seed", 20261122);
  private static final int PLACES = 20;

  @Test
  void shouldFindNothingInACleanHistoryWithATakeover() {
    ChaosVerdict verdict = ChaosVerdict.of(ChaosHistoryBuilder.undisturbed().history());

    assertThat(verdict.broken()).as("%s", verdict.lines()).isEmpty();
    assertThat(verdict.ok()).isTrue();
    assertThat(verdict.invariants()).allMatch(outcome -> outcome.checked() > 0);
  }

  @ParameterizedTest
  @EnumSource(SeededBug.class)
  void shouldCatchEveryPlantedMistakeWhereverItIs(SeededBug bug) {
    System.out.println("-Dbaton.seed=" + SEED + ": " + bug);
    Random random = new Random(SEED);
    for (int place = 0; place < PLACES; place++) {
      ChaosVerdict verdict =
          ChaosVerdict.of(bug.plant(ChaosHistoryBuilder.undisturbed().history(), random));

      assertThat(verdict.broken()).as("%s", verdict.lines()).contains(bug.breaks);
      InvariantViolation found =
          verdict.invariants().stream()
              .filter(outcome -> outcome.name().equals(bug.breaks))
              .flatMap(outcome -> outcome.violations().stream())
              .findFirst()
              .orElseThrow();
      assertThat(found.run()).isEqualTo(ChaosHistoryBuilder.RUN);
    }
  }

  @Test
  void shouldHaveAMistakeForEveryInvariant() {
    Set<String> planted =
        Stream.of(SeededBug.values()).map(bug -> bug.breaks).collect(Collectors.toSet());
    assertThat(Invariant.ALL.stream().map(Invariant::name)).allMatch(planted::contains);
  }

  @Test
  void shouldAllowAStepWithoutACutToRunAgainAndOnlyThat() {
    ChaosHistoryBuilder history =
        new ChaosHistoryBuilder()
            .answer(ApiResponseRecord.Request.CREATE, 201, ChaosHistoryBuilder.json("{}"))
            .log("c/1", "run_created", "{}")
            .log("c/2", "runner_assigned", "{'epoch':1}")
            .log("1/1", "step_completed", "{'step':'one','visit':1,'cut':{}}")
            .log("1/2", "step_completed", "{'step':'two','visit':1,'without_cut':true}")
            .log("c/3", "runner_assigned", "{'epoch':2}")
            .log("2/1", "runner_started", "{'runner':'b'}")
            .effect("two", 2, 1, "begin")
            .log("2/2", "step_completed", "{'step':'two','visit':1,'without_cut':true}")
            .log("2/3", "step_completed", "{'step':'three','visit':1,'cut':{}}")
            .log("c/4", "runner_assigned", "{'epoch':3}");

    assertThat(ChaosVerdict.of(history.history()).broken()).doesNotContain("completed-step-stays");

    // A later cut of the branch has the files of the earlier step, too.
    history.effect("two", 3, 1, "begin");
    assertThat(ChaosVerdict.of(history.history()).broken()).contains("completed-step-stays");
  }

  @Test
  void shouldAllowStepsBehindADamagedCheckpointToRunAgainAndOnlyThose() {
    ChaosHistoryBuilder history =
        new ChaosHistoryBuilder()
            .log("c/1", "run_created", "{}")
            .log("c/2", "runner_assigned", "{'epoch':1}")
            .log("1/1", "step_completed", "{'step':'one','visit':1,'cut':{}}")
            .log("1/2", "step_completed", "{'step':'two','visit':1,'cut':{}}")
            .log("c/3", "runner_assigned", "{'epoch':2}")
            .log(
                "2/1",
                "run_degraded",
                "{'damaged':[{'branch':'','digest':'x','reason':'gone'}],'after':'%s/1/1'}"
                    .formatted(ChaosHistoryBuilder.RUN))
            .log("2/2", "runner_started", "{'runner':'b'}")
            .effect("two", 2, 1, "begin")
            .log("2/3", "step_completed", "{'step':'two','visit':1,'cut':{}}");

    assertThat(ChaosVerdict.of(history.history()).broken()).doesNotContain("completed-step-stays");

    history.effect("one", 2, 1, "begin");
    assertThat(ChaosVerdict.of(history.history()).broken()).contains("completed-step-stays");
  }

  @Test
  void shouldLetTheApiLagButNotContradictTheLog() {
    ChaosHistoryBuilder lagging = ChaosHistoryBuilder.undisturbed().told("completed", 2, 3);
    assertThat(ChaosVerdict.of(lagging.history()).ok()).isTrue();

    ChaosHistoryBuilder ahead = ChaosHistoryBuilder.undisturbed().told("completed", 2, 4);
    assertThat(ChaosVerdict.of(ahead.history()).broken()).containsExactly("api-follows-the-log");

    ChaosHistoryBuilder back = ChaosHistoryBuilder.undisturbed().told("running", 2, 2);
    assertThat(ChaosVerdict.of(back.history()).broken()).contains("api-follows-the-log");
  }

  @Test
  void shouldTakeNoEpochFromTheApiThatIsNotOnTheLogYet() {
    assertThat(ChaosVerdict.of(takeover(1).told("running", 2, 1).history()).broken())
        .doesNotContain("api-follows-the-log");

    ChaosHistoryBuilder back = takeover(1).told("running", 2, 1).told("running", 1, 1);
    assertThat(ChaosVerdict.of(back.history()).broken()).contains("api-follows-the-log");

    assertThat(ChaosVerdict.of(takeover(2).history()).broken()).contains("api-follows-the-log");
  }

  /**
   * A new epoch is assigned before the view has read the last completion.
   *
   * @param told number of completions returned by the API meanwhile
   */
  private static ChaosHistoryBuilder takeover(int told) {
    return new ChaosHistoryBuilder()
        .log("c/1", "run_created", "{}")
        .log("c/2", "runner_assigned", "{'epoch':1}")
        .told("running", 1, 0)
        .told("interrupted", told, 0)
        .log("1/1", "step_completed", "{'step':'one','visit':1,'cut':{}}")
        .log("c/3", "runner_assigned", "{'epoch':2}");
  }

  @Test
  void shouldFindASecondProcessInTheSameAttemptOfTheSameEpoch() {
    ChaosHistoryBuilder twice = ChaosHistoryBuilder.undisturbed().effect("two", 2, 1, "begin");
    assertThat(ChaosVerdict.of(twice.history()).broken()).containsExactly("one-runner-per-epoch");
  }

  @Test
  void shouldCallARunThatEndedTooLateOrOtherwiseUnended() {
    ChaosHistory history =
        ChaosHistoryBuilder.undisturbed().log("c/5", "run_cancelled", "{}").history();
    assertThat(ChaosVerdict.of(history).ok()).as("no record counts after its end").isTrue();

    ChaosHistory failed =
        new ChaosHistoryBuilder()
            .log("c/1", "run_created", "{}")
            .log("c/2", "runner_assigned", "{'epoch':1}")
            .log("1/1", "run_failed", "{}")
            .told("failed", 1, 0)
            .history();
    assertThat(ChaosVerdict.of(failed).broken()).containsExactly("every-run-ends");
  }

  @Test
  void shouldNameTheFileThatIsMissingOrSpoiled(@TempDir Path folder) throws IOException {
    ChaosHistoryStore files = new ChaosHistoryStore(folder);
    assertThatThrownBy(files::read).hasMessageContaining("history.json");

    ChaosHistory history = ChaosHistoryBuilder.undisturbed().history();
    files.write(history);
    Files.writeString(folder.resolve("seen.jsonl"), "{\"partition\":0}\n{\"partition\"\n");
    assertThatThrownBy(files::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("line 2 of ")
        .hasMessageContaining("seen.jsonl");

    files.write(history);
    Files.delete(folder.resolve("answers.jsonl"));
    assertThatThrownBy(files::read).hasMessageContaining("answers.jsonl is missing");
  }

  @Test
  void shouldAllowAnswersInAnyOrderToQuestionsThatWereOpenTogether() {
    ChaosHistory history = ChaosHistoryBuilder.undisturbed().history();
    ApiResponseRecord last = history.answers().getLast();
    List<ApiResponseRecord> answers = new ArrayList<>(history.answers());
    ApiResponseRecord old =
        answers.stream()
            .filter(answer -> answer.request() == ApiResponseRecord.Request.RUN)
            .findFirst()
            .orElseThrow();
    answers.add(
        new ApiResponseRecord(
            0, last.answeredMs() + 1, ApiResponseRecord.Request.LIST, old.run(), 200, old.body()));
    assertThat(ChaosVerdict.of(history.withAnswers(answers)).ok()).isTrue();

    answers.add(
        new ApiResponseRecord(
            last.answeredMs() + 1,
            last.answeredMs() + 2,
            ApiResponseRecord.Request.LIST,
            old.run(),
            200,
            old.body()));
    assertThat(ChaosVerdict.of(history.withAnswers(answers)).broken())
        .containsExactly("api-follows-the-log");
  }

  @Test
  void shouldDecideTheSameFromTheFilesOfAHistory(@TempDir Path folder) throws IOException {
    ChaosHistory history = ChaosHistoryBuilder.undisturbed().history();
    ChaosHistoryStore files = new ChaosHistoryStore(folder);
    files.write(history);
    files.writeLedger(history.ledger());

    assertThat(files.read()).isEqualTo(history);
    assertThat(ChaosVerdict.of(files.read())).isEqualTo(ChaosVerdict.of(history));
  }
}
