/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.milestone.sidecar.MilestoneSidecar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a milestone commit contains, and when it is refused. */
class MilestoneCommitterTest {
  @TempDir Path folder;

  private TestRepository repository() throws Exception {
    return TestRepository.create(folder.resolve("repository"));
  }

  @Test
  void shouldCommitTheWholeTreeUnderTheExactMessageAndWriteTheSidecar() throws Exception {
    TestRepository repository = repository();
    repository.write("added", "new\n");
    repository.write("ignored", "x");
    repository.write(".gitignore", "ignored\n!.baton\n");
    Files.delete(repository.root.resolve("README"));

    CommittedMilestone made = repository.make(TestRepository.request(TestRepository.RUN, 0));
    repository.write("second", "2\n");
    CommittedMilestone second = repository.make(TestRepository.request(TestRepository.RUN, 1));

    MilestoneSidecar sidecar = made.sidecar();
    assertThat(repository.git("log", "--format=%B", "-1", sidecar.sha()))
        .isEqualTo("chore(baton): checkpoint " + TestRepository.RUN + " milestone 0");
    assertThat(repository.git("ls-tree", "-r", "--name-only", second.sidecar().sha()).lines())
        .containsExactly(".gitignore", "added", "second");
    assertThat(repository.git("log", "--format=%an <%ae>", "-1"))
        .isEqualTo("Ann <ann@example.org>");
    assertThat(repository.head()).isEqualTo(second.sidecar().sha());
    assertThat(sidecar.tree()).isEqualTo(repository.git("rev-parse", sidecar.sha() + "^{tree}"));
    assertThat(sidecar.patchId()).hasSize(40);
    assertThat(repository.sidecars().list().of(TestRepository.RUN))
        .extracting(MilestoneSidecar::sha)
        .containsExactly(sidecar.sha(), second.sidecar().sha());
    assertThat(made.drift()).isEmpty();
    assertThat(repository.git("status", "--porcelain")).isEqualTo("?? .baton/");
    repository.git("fsck", "--strict");
  }

  @Test
  void shouldKeepItsOwnFilesOutOfTheHistoryAndOfTheStatus() throws Exception {
    TestRepository repository = repository();
    repository.milestone(0);
    repository.milestone(1);

    assertThat(repository.git("status", "--porcelain")).isEmpty();
    assertThat(Files.readAllLines(repository.root.resolve(".git/info/exclude")))
        .containsOnlyOnce("/.baton/");
    assertThat(repository.git("log", "--all", "--name-only", "--format=")).doesNotContain(".baton");
  }

  @Test
  void shouldHaveACommitWhereNothingHasChangedAndANameWhereNobodyHasOne() throws Exception {
    TestRepository repository = TestRepository.bare(folder.resolve("nameless"));

    MilestoneSidecar first =
        repository.make(TestRepository.request(TestRepository.RUN, 0)).sidecar();
    MilestoneSidecar second =
        repository.make(TestRepository.request(TestRepository.RUN, 1)).sidecar();

    assertThat(first.sha()).isNotEqualTo(second.sha());
    assertThat(first.tree()).isEqualTo(second.tree());
    assertThat(second.patchId()).isNull();
    assertThat(repository.git("log", "--format=%an <%ae>", "-1"))
        .isEqualTo("Baton <baton@localhost>");
    assertThat(repository.sidecars().list().sidecars()).hasSize(2);
  }

  @Test
  void shouldRunNoHookAndAskForNoSignature() throws Exception {
    TestRepository repository = repository();
    for (String hook :
        List.of(
            "pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-index-change")) {
      Path file = repository.root.resolve(".git/hooks/" + hook);
      Files.writeString(file, "#!/bin/sh\ntouch hook-ran\nexit 1\n");
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    repository.git("config", "commit.gpgSign", "true");
    repository.git("config", "gpg.program", "/bin/false");
    repository.git("config", "commit.cleanup", "scissors");

    repository.milestone(0);

    assertThat(repository.root.resolve("hook-ran")).doesNotExist();
  }

  @Test
  void shouldSayWhatToDoWhereItCannotCommit() throws Exception {
    TestRepository repository = repository();
    Path none = Files.createDirectories(repository.root.resolve("below"));
    assertThatThrownBy(
            () ->
                new MilestoneCommitter(TestRepository.ENVIRONMENT, java.time.Clock.systemUTC())
                    .make(none, TestRepository.request("r", 0), TestRepository.LIMIT))
        .hasMessageContaining("git init")
        .isInstanceOfSatisfying(
            MilestoneException.class, failure -> assertThat(failure.mayPass()).isFalse());
    Files.delete(none);

    repository.git("checkout", "--quiet", "-b", "side");
    repository.commit("README", "side\n", "Side");
    repository.git("checkout", "--quiet", "main");
    repository.commit("README", "main\n", "Main");
    assertThatThrownBy(() -> repository.git("merge", "side")).hasMessageContaining("CONFLICT");
    String before = repository.head();
    assertThatThrownBy(() -> repository.milestone(0))
        .hasMessageContaining("a merge is in progress")
        .hasMessageContaining("--abort");
    assertThat(repository.head()).isEqualTo(before);
    assertThat(repository.sidecars().exist()).isFalse();

    repository.git("merge", "--abort");
    repository.write(".git/index.lock", "");
    assertThatThrownBy(() -> repository.milestone(0)).hasMessageContaining("index.lock");
  }

  @Test
  void shouldNotCommitAsDeletedWhatIsMissingWithoutAStepsDoing() throws Exception {
    TestRepository repository = repository();
    repository.write("a b/target/kept", "1\n");
    repository.write("target/kept", "1\n");
    repository.commit("own", "1\n", "Files in folders that cuts leave out");
    Files.delete(repository.root.resolve("a b/target/kept"));
    Files.delete(repository.root.resolve("a b/target"));
    Files.delete(repository.root.resolve("own"));
    repository.write("new", "1\n");

    repository.make(
        new MilestoneCommitter.Request(
            TestRepository.RUN, 0, "t", "tier0", List.of(), List.of("a b/target", "gone"), -1));

    assertThat(repository.git("log", "-1", "--format=", "--name-status", "--no-renames").lines())
        .containsExactlyInAnyOrder("D\town", "A\tnew");
  }

  @Test
  void shouldCountOnFromTheRepositoryWhereTheStateSaysOtherwise() throws Exception {
    TestRepository repository = repository();
    repository.milestone(0);
    repository.milestone(1);

    CommittedMilestone made = repository.make(TestRepository.request(TestRepository.RUN, 0));

    assertThat(made.sidecar().milestoneIndex()).isEqualTo(2);
    assertThat(made.drift()).get().asString().contains("milestone 0", "newest is 1");
    assertThat(repository.make(TestRepository.request(TestRepository.OTHER, 5)).drift()).isEmpty();
  }

  @Test
  void shouldCountOnFromTheRepositoryWhereTheStateIsAhead() throws Exception {
    TestRepository repository = repository();
    repository.milestone(0);
    repository.milestone(1);

    CommittedMilestone made = repository.make(expecting(5, 4));

    assertThat(made.sidecar().milestoneIndex()).isEqualTo(2);
    assertThat(made.drift())
        .get()
        .asString()
        .contains("expects milestone 5", "newest is 1", "using the repository's");
    assertThat(repository.plan().nextMilestone()).isEqualTo(3);
  }

  @Test
  void shouldReadTheLogWhereTheSidecarsAreLost() throws Exception {
    TestRepository repository = repository();
    repository.milestone(0);
    repository.milestone(1);
    repository.removeSidecars();

    CommittedMilestone agrees = repository.make(expecting(2, 1));
    repository.removeSidecars();
    CommittedMilestone behind = repository.make(expecting(7, 6));

    assertThat(agrees.drift()).isEmpty();
    assertThat(agrees.sidecar().milestoneIndex()).isEqualTo(2);
    assertThat(behind.drift()).get().asString().contains("newest is 2");
    assertThat(behind.sidecar().milestoneIndex()).isEqualTo(3);
  }

  @Test
  void shouldSayThatARepositoryHasNoMilestoneOfTheRun() throws Exception {
    TestRepository repository = repository();

    CommittedMilestone made = repository.make(expecting(3, 2));

    assertThat(made.sidecar().milestoneIndex()).isEqualTo(3);
    assertThat(made.drift()).get().asString().contains("milestone 2", "has none", "next, 3");
  }

  /** Milestones of other work trees come after the newest of this one: no mismatch. */
  @Test
  void shouldLeaveOutTheNumbersOfOtherWorkTrees() throws Exception {
    TestRepository repository = repository();
    repository.milestone(0);

    CommittedMilestone made = repository.make(expecting(3, 0));

    assertThat(made.drift()).isEmpty();
    assertThat(made.sidecar().milestoneIndex()).isEqualTo(3);
  }

  private static MilestoneCommitter.Request expecting(int index, int newest) {
    return new MilestoneCommitter.Request(
        TestRepository.RUN, index, "t", "tier0", List.of(), List.of(), newest);
  }

  @Test
  void shouldTakeUpTheCommitOfAnAttemptThatCouldNotWriteItsSidecar() throws Exception {
    TestRepository repository = repository();
    repository.write(".baton", "no folder can be made here");
    assertThatThrownBy(() -> repository.milestone(0)).isInstanceOf(MilestoneException.class);
    String left = repository.head();
    Files.delete(repository.root.resolve(".baton"));

    MilestoneSidecar sidecar = repository.milestone(0);

    assertThat(sidecar.sha()).isEqualTo(repository.head());
    assertThat(repository.git("rev-list", "--count", "HEAD")).isEqualTo("2");
    assertThat(repository.git("log", "--format=%s").lines())
        .containsOnlyOnce("chore(baton): checkpoint " + TestRepository.RUN + " milestone 0");
    assertThat(left).isNotEmpty();
  }
}
