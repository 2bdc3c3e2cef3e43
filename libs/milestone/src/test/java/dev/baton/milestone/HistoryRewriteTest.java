/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.milestone.history.MilestoneLocation;
import dev.baton.milestone.history.MilestoneLocator;
import dev.baton.milestone.plan.ResumePlan;
import dev.baton.milestone.plan.ResumePlanSource;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locates milestones after real git commands have rewritten the history. */
class HistoryRewriteTest {
  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private TestRepository repository;

  /** Creates two milestones on a branch, and a main branch with later commits. */
  @BeforeEach
  void branch() throws Exception {
    repository = TestRepository.create(folder.resolve("repository"));
    repository.git("checkout", "--quiet", "-b", "work");
    repository.milestone(0);
    repository.milestone(1);
  }

  private void mainGoesOn() throws Exception {
    repository.git("checkout", "--quiet", "main");
    repository.commit("upstream", "news\n", "News");
  }

  private List<MilestoneLocation> located() throws Exception {
    return MilestoneLocator.of(repository.open())
        .locate(repository.sidecars().list().of(TestRepository.RUN));
  }

  private void forget() throws Exception {
    repository.git("reflog", "expire", "--expire=now", "--all");
    repository.git("gc", "--quiet", "--prune=now");
  }

  @Test
  void shouldBeOkAsLongAsNothingIsRewritten() throws Exception {
    repository.commit("more", "x\n", "More");

    assertThat(located())
        .allSatisfy(found -> assertThat(found).isInstanceOf(MilestoneLocation.Ok.class));
  }

  @Test
  void shouldResumeSuccessfullyAfterRebase() throws Exception {
    mainGoesOn();
    repository.git("checkout", "--quiet", "work");
    repository.git("rebase", "--quiet", "main");
    forget();

    List<MilestoneLocation> found = located();

    assertThat(found).extracting(MilestoneLocation::word).containsExactly("rewritten", "rewritten");
    assertThat(found.getLast().commit()).isEqualTo(repository.head());
    assertThat(found.getFirst().commit()).isEqualTo(repository.git("rev-parse", "HEAD^"));
    ResumePlan plan = repository.plan();
    assertThat(plan.source()).isEqualTo(ResumePlanSource.SIDECAR);
    assertThat(plan.isUsable()).isTrue();
    assertThat(plan.nextMilestone()).isEqualTo(2);
  }

  @Test
  void shouldFindItByWhatItChangesWhenItsMessageIsAnother() throws Exception {
    mainGoesOn();
    repository.git("cherry-pick", "work~1", "work");
    repository.git("commit", "--quiet", "--amend", "--message", "Part one of the feature");

    List<MilestoneLocation> found = located();

    assertThat(found.getFirst().describe()).contains("rewritten to", "its message");
    assertThat(found.getLast())
        .isInstanceOfSatisfying(
            MilestoneLocation.Rewritten.class,
            rewritten -> {
              assertThat(rewritten.by()).isEqualTo(MilestoneLocation.By.PATCH);
              assertThat(rewritten.commit()).isEqualTo(headOf(repository));
            });
  }

  private static String headOf(TestRepository repository) {
    try {
      return repository.head();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldFindACherryPickThatNamesItsOrigin() throws Exception {
    mainGoesOn();
    repository.git("cherry-pick", "-x", "work~1");

    List<MilestoneLocation> found = located();

    assertThat(found.getFirst().word()).isEqualTo("rewritten");
    assertThat(found.getFirst().commit()).isEqualTo(repository.head());
    assertThat(found.getLast().word()).isEqualTo("unreachable");
    assertThat(found.getLast().describe()).contains("work has it", "check that out, or merge");
    ResumePlan plan = repository.plan();
    assertThat(plan.nextMilestone()).isEqualTo(1);
    assertThat(plan.notes())
        .anySatisfy(note -> assertThat(note).contains("milestone 1", "work has it"));
  }

  @Test
  void shouldFollowASquashMergeWithGitsOwnMessage() throws Exception {
    mainGoesOn();
    repository.git("merge", "--squash", "work");
    repository.git("commit", "--quiet", "--no-edit");
    repository.git("branch", "--quiet", "-D", "work");
    forget();

    List<MilestoneLocation> found = located();

    assertThat(found).extracting(MilestoneLocation::word).containsExactly("squashed", "squashed");
    assertThat(found).extracting(MilestoneLocation::commit).containsOnly(repository.head());
    assertThat(repository.plan().nextMilestone()).isEqualTo(2);
    assertThat(repository.plan().checkpoint().orElseThrow().description()).contains("its message");
  }

  @Test
  void shouldFollowASquashMergeWithAMessageOfItsOwn() throws Exception {
    mainGoesOn();
    repository.git("merge", "--squash", "work");
    repository.git("commit", "--quiet", "--message", "The feature");

    List<MilestoneLocation> found = located();

    assertThat(found).extracting(MilestoneLocation::word).containsExactly("squashed", "squashed");
    assertThat(found).extracting(MilestoneLocation::commit).containsOnly(repository.head());
    assertThat(found.getLast().describe()).contains("what it changes");
    assertThat(found.getFirst().describe()).contains("a later milestone");
  }

  @Test
  void shouldKnowASquashByItsFilesEvenWhenTheCommitIsPruned() throws Exception {
    repository.git("checkout", "--quiet", "main");
    repository.git("merge", "--squash", "work");
    repository.git("commit", "--quiet", "--message", "The feature");
    repository.git("branch", "--quiet", "-D", "work");
    forget();

    List<MilestoneLocation> found = located();

    assertThat(found.getLast().describe()).contains(repository.head(), "its files");
    assertThat(found.getFirst().word()).isEqualTo("missing");
    assertThat(found.getFirst().describe()).contains("pruned");
    assertThat(repository.plan().nextMilestone()).isEqualTo(2);
  }

  @Test
  void shouldFollowAnInteractiveRebaseThatSquashes() throws Exception {
    repository.git(
        "-c", "sequence.editor=sed -i -e '2s/^pick/squash/'", "rebase", "--interactive", "main");

    List<MilestoneLocation> found = located();

    assertThat(repository.git("rev-list", "--count", "main..HEAD")).isEqualTo("1");
    assertThat(found).extracting(MilestoneLocation::word).containsExactly("squashed", "squashed");
    assertThat(found).extracting(MilestoneLocation::commit).containsOnly(repository.head());
  }

  @Test
  void shouldFollowAnAmendment() throws Exception {
    repository.write("part-1", "better\n");
    repository.git("commit", "--quiet", "--all", "--amend", "--no-edit");

    List<MilestoneLocation> found = located();

    assertThat(found).extracting(MilestoneLocation::word).containsExactly("ok", "rewritten");
    assertThat(found.getLast().commit()).isEqualTo(repository.head());
  }

  @Test
  void shouldSayThatACommitWasResetAwayAndGoOnFromTheOneBefore() throws Exception {
    repository.git("reset", "--quiet", "--hard", "HEAD^");

    MilestoneLocation last = located().getLast();
    ResumePlan plan = repository.plan();

    assertThat(last.word()).isEqualTo("unreachable");
    assertThat(last.describe()).contains("no branch or tag has it", "git branch keep");
    assertThat(plan.checkpoint().orElseThrow().milestoneIndex()).isZero();
    assertThat(plan.isUsable()).isTrue();
    forget();
    assertThat(located().getLast().describe()).contains("the commit is gone: pruned");
  }

  @Test
  void shouldSayThatAnotherBranchHasAll() throws Exception {
    mainGoesOn();

    ResumePlan plan = repository.plan();

    assertThat(plan.source()).isEqualTo(ResumePlanSource.SIDECAR);
    assertThat(plan.isUsable()).isFalse();
    assertThat(plan.checkpoint().orElseThrow().description()).contains("work has it");
  }

  @Test
  void shouldSayThatAShallowCloneDoesNotHaveIt() throws Exception {
    repository.commit("more", "x\n", "More");
    TestRepository clone = TestRepository.bare(folder.resolve("clone"));
    clone.git("fetch", "--quiet", "--depth=1", repository.root.toUri().toString(), "work");
    clone.git("checkout", "--quiet", "FETCH_HEAD");
    clone.sidecars().write(repository.sidecars().list().latest(TestRepository.RUN).orElseThrow());

    ResumePlan plan = clone.plan();

    assertThat(plan.isUsable()).isFalse();
    assertThat(plan.checkpoint().orElseThrow().description()).contains("--unshallow");
    assertThat(plan.notes()).anySatisfy(note -> assertThat(note).contains("shallow"));
  }
}
