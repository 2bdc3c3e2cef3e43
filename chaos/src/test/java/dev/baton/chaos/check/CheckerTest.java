/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.chaos.history.Answer;
import dev.baton.chaos.history.History;
import dev.baton.chaos.history.HistoryFolder;
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

/** Each invariant holds on a clean history, and is broken by the mistake that it is for. */
class CheckerTest {
  private static final long SEED = Long.getLong("baton.seed", 20261122);
  private static final int PLACES = 20;

  @Test
  void shouldFindNothingInACleanHistoryWithATakeover() {
    Verdict verdict = Verdict.of(Handmade.undisturbed().history());

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
      Verdict verdict = Verdict.of(bug.plant(Handmade.undisturbed().history(), random));

      assertThat(verdict.broken()).as("%s", verdict.lines()).contains(bug.breaks);
      Violation found =
          verdict.invariants().stream()
              .filter(outcome -> outcome.name().equals(bug.breaks))
              .flatMap(outcome -> outcome.violations().stream())
              .findFirst()
              .orElseThrow();
      assertThat(found.run()).isEqualTo(Handmade.RUN);
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
    Handmade history =
        new Handmade()
            .answer(Answer.Request.CREATE, 201, Handmade.json("{}"))
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

    assertThat(Verdict.of(history.history()).broken()).doesNotContain("completed-step-stays");

    // A later cut of the branch has the files of the step before it, too.
    history.effect("two", 3, 1, "begin");
    assertThat(Verdict.of(history.history()).broken()).contains("completed-step-stays");
  }

  @Test
  void shouldLetTheApiLagButNotContradictTheLog() {
    Handmade lagging = Handmade.undisturbed().told("completed", 2, 3);
    assertThat(Verdict.of(lagging.history()).ok()).isTrue();

    Handmade ahead = Handmade.undisturbed().told("completed", 2, 4);
    assertThat(Verdict.of(ahead.history()).broken()).containsExactly("api-follows-the-log");

    Handmade back = Handmade.undisturbed().told("running", 2, 2);
    assertThat(Verdict.of(back.history()).broken()).contains("api-follows-the-log");
  }

  @Test
  void shouldTakeNoEpochFromTheApiThatIsNotOnTheLogYet() {
    assertThat(Verdict.of(takeover(1).told("running", 2, 1).history()).broken())
        .doesNotContain("api-follows-the-log");

    Handmade back = takeover(1).told("running", 2, 1).told("running", 1, 1);
    assertThat(Verdict.of(back.history()).broken()).contains("api-follows-the-log");

    assertThat(Verdict.of(takeover(2).history()).broken()).contains("api-follows-the-log");
  }

  /**
   * Whose view has not read the last completion when the new epoch is decided.
   *
   * @param told of the run meanwhile
   */
  private static Handmade takeover(int told) {
    return new Handmade()
        .log("c/1", "run_created", "{}")
        .log("c/2", "runner_assigned", "{'epoch':1}")
        .told("running", 1, 0)
        .told("interrupted", told, 0)
        .log("1/1", "step_completed", "{'step':'one','visit':1,'cut':{}}")
        .log("c/3", "runner_assigned", "{'epoch':2}");
  }

  @Test
  void shouldFindASecondProcessInTheSameAttemptOfTheSameEpoch() {
    Handmade twice = Handmade.undisturbed().effect("two", 2, 1, "begin");
    assertThat(Verdict.of(twice.history()).broken()).containsExactly("one-runner-per-epoch");
  }

  @Test
  void shouldCallARunThatEndedTooLateOrOtherwiseUnended() {
    History history = Handmade.undisturbed().log("c/5", "run_cancelled", "{}").history();
    assertThat(Verdict.of(history).ok()).as("after its end nothing counts").isTrue();

    History failed =
        new Handmade()
            .log("c/1", "run_created", "{}")
            .log("c/2", "runner_assigned", "{'epoch':1}")
            .log("1/1", "run_failed", "{}")
            .told("failed", 1, 0)
            .history();
    assertThat(Verdict.of(failed).broken()).containsExactly("every-run-ends");
  }

  @Test
  void shouldNameTheFileThatIsMissingOrSpoiled(@TempDir Path folder) throws IOException {
    HistoryFolder files = new HistoryFolder(folder);
    assertThatThrownBy(files::read).hasMessageContaining("history.json");

    History history = Handmade.undisturbed().history();
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
    History history = Handmade.undisturbed().history();
    Answer last = history.answers().getLast();
    List<Answer> answers = new ArrayList<>(history.answers());
    Answer old =
        answers.stream()
            .filter(answer -> answer.request() == Answer.Request.RUN)
            .findFirst()
            .orElseThrow();
    answers.add(
        new Answer(0, last.answeredMs() + 1, Answer.Request.LIST, old.run(), 200, old.body()));
    assertThat(Verdict.of(history.withAnswers(answers)).ok()).isTrue();

    answers.add(
        new Answer(
            last.answeredMs() + 1,
            last.answeredMs() + 2,
            Answer.Request.LIST,
            old.run(),
            200,
            old.body()));
    assertThat(Verdict.of(history.withAnswers(answers)).broken())
        .containsExactly("api-follows-the-log");
  }

  @Test
  void shouldDecideTheSameFromTheFilesOfAHistory(@TempDir Path folder) throws IOException {
    History history = Handmade.undisturbed().history();
    HistoryFolder files = new HistoryFolder(folder);
    files.write(history);
    files.writeLedger(history.ledger());

    assertThat(files.read()).isEqualTo(history);
    assertThat(Verdict.of(files.read())).isEqualTo(Verdict.of(history));
  }
}
