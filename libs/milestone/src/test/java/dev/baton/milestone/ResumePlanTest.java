/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.milestone.doctor.MilestoneDoctorReport;
import dev.baton.milestone.plan.MilestoneResumePlanner;
import dev.baton.milestone.plan.ResumePlan;
import dev.baton.milestone.plan.ResumePlanSource;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which milestone a resume plan selects, and from which source. */
class ResumePlanTest {
  private static final String RUNR = "20260104035601";

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private TestRepository repository;

  @BeforeEach
  void create() throws Exception {
    repository = TestRepository.create(folder.resolve("repository"));
  }

  private void loseSidecars() throws Exception {
    repository.sidecars().remove(repository.sidecars().list().sidecars(), List.of());
  }

  @Test
  void shouldPreferSidecarOverGitLog() throws Exception {
    repository.milestone(0);
    MilestoneSidecar second = repository.milestone(1);

    ResumePlan plan = repository.plan();

    assertThat(plan.source()).isEqualTo(ResumePlanSource.SIDECAR);
    ResumePlan.Checkpoint checkpoint = plan.checkpoint().orElseThrow();
    assertThat(checkpoint.sha()).isEqualTo(second.sha());
    assertThat(checkpoint.commit()).contains(second.sha());
    assertThat(checkpoint.title()).isEqualTo("Part 1");
    assertThat(checkpoint.tier()).contains("tier1");
    assertThat(checkpoint.verificationCommands()).containsExactly("test -f part-1");
    assertThat(plan.nextMilestone()).isEqualTo(2);
    assertThat(plan.notes()).isEmpty();
  }

  @Test
  void shouldFallBackToGitLogIfSidecarMissing() throws Exception {
    repository.milestone(0);
    MilestoneSidecar second = repository.milestone(1);
    repository.make(TestRepository.request(TestRepository.OTHER, 7));
    loseSidecars();

    ResumePlan plan = repository.plan();

    assertThat(plan.source()).isEqualTo(ResumePlanSource.GIT_LOG_RUN_SPECIFIC);
    assertThat(plan.checkpoint().orElseThrow().commit()).contains(second.sha());
    assertThat(plan.checkpoint().orElseThrow().milestoneIndex()).isEqualTo(1);
  }

  @Test
  void shouldReadTheSidecarsOfTheToolThatHadThemFirst() throws Exception {
    String sha = repository.commit("a", "a\n", "Anything");
    repository.writeForeign(".runr", sha, RUNR, 4);

    ResumePlan plan = MilestoneResumePlanner.plan(repository.open(), RUNR);

    assertThat(plan.source()).isEqualTo(ResumePlanSource.SIDECAR);
    assertThat(plan.checkpoint().orElseThrow().format()).isEqualTo("runr");
    assertThat(plan.checkpoint().orElseThrow().milestoneIndex()).isEqualTo(4);
    assertThat(plan.checkpoint().orElseThrow().title())
        .isEqualTo("Implement getValidMoveTargets function");
  }

  @Test
  void shouldFallBackToTheFirstToolsMessagesAndThenToThoseThatNameNoRun() throws Exception {
    repository.commit("a", "a\n", "chore(agent): checkpoint milestone 3");
    ResumePlan unnamed = MilestoneResumePlanner.plan(repository.open(), RUNR);
    assertThat(unnamed.source()).isEqualTo(ResumePlanSource.GIT_LOG_LEGACY);
    assertThat(unnamed.checkpoint().orElseThrow().format()).isEqualTo("unnamed");
    assertThat(unnamed.nextMilestone()).isEqualTo(4);
    assertThat(unnamed.notes()).anySatisfy(note -> assertThat(note).contains("names no run"));

    repository.commit("b", "b\n", "chore(runr): checkpoint " + RUNR + " milestone 0");
    String second =
        repository.commit("c", "c\n", "chore(runr): checkpoint " + RUNR + " milestone 12");
    repository.commit("d", "d\n", "chore(runr): checkpoint 99 milestone 40");
    repository.commit("e", "e\n", "Revert \"chore(runr): checkpoint " + RUNR + " milestone 50\"");

    ResumePlan legacy = MilestoneResumePlanner.plan(repository.open(), RUNR);

    assertThat(legacy.source()).isEqualTo(ResumePlanSource.GIT_LOG_LEGACY);
    assertThat(legacy.checkpoint().orElseThrow().format()).isEqualTo("runr");
    assertThat(legacy.checkpoint().orElseThrow().commit()).contains(second);
    assertThat(legacy.nextMilestone()).isEqualTo(13);
  }

  @Test
  void shouldHaveNoSourceWhereThereIsNothing() throws Exception {
    ResumePlan plan = repository.plan();
    assertThat(plan.source()).isEqualTo(ResumePlanSource.NONE);
    assertThat(plan.checkpoint()).isEmpty();
    assertThat(plan.nextMilestone()).isZero();
    TestRepository empty = TestRepository.bare(folder.resolve("empty"));
    assertThat(empty.plan().source()).isEqualTo(ResumePlanSource.NONE);
  }

  @Test
  void shouldPassOverMalformedSidecarsAndOtherRuns() throws Exception {
    MilestoneSidecar first = repository.milestone(0);
    MilestoneSidecar second = repository.milestone(1);
    repository.make(TestRepository.request(TestRepository.OTHER, 9));
    Files.writeString(
        repository.sidecars().folder().resolve(second.sha() + ".json"), "{\"sha\": 1}");

    ResumePlan plan = repository.plan();

    assertThat(plan.checkpoint().orElseThrow().sha()).isEqualTo(first.sha());
    assertThat(plan.malformed()).isEqualTo(1);
    assertThat(plan.ofOthers()).isEqualTo(1);
    assertThat(plan.notes())
        .anySatisfy(
            note -> assertThat(note).contains(second.sha(), "passed over", "schema_version"))
        .anySatisfy(note -> assertThat(note).contains("the log has milestone 1"));
  }

  @Test
  void shouldTellDriftAndLetTheCheckpointWin() throws Exception {
    repository.milestone(0);
    repository.milestone(1);

    ResumePlan same = repository.plan().against(OptionalInt.of(1));
    ResumePlan drifted = repository.plan().against(OptionalInt.of(4));

    assertThat(same.drift()).isEmpty();
    assertThat(repository.plan().against(OptionalInt.empty()).drift()).isEmpty();
    assertThat(drifted.drift()).contains(new ResumePlan.Drift(4, 1));
    assertThat(drifted.nextMilestone()).isEqualTo(2);
  }

  @Test
  void shouldHoldAForeignRunAgainstItsRecordedState() throws Exception {
    repository.commit("c", "c\n", "chore(runr): checkpoint " + RUNR + " milestone 2");
    repository.write(".runr/runs/" + RUNR + "/state.json", "{\"milestone_index\": 5}");

    ResumePlan plan = MilestoneResumePlanner.plan(repository.open(), RUNR);

    assertThat(plan.drift()).contains(new ResumePlan.Drift(5, 2));
    assertThat(plan.nextMilestone()).isEqualTo(3);
    assertThat(MilestoneResumePlanner.plan(repository.open(), "../runs/" + RUNR).drift()).isEmpty();
  }

  @Test
  void shouldExamineSidecarsAndIndex() throws Exception {
    repository.milestone(0);
    MilestoneSidecar second = repository.milestone(1);
    assertThat(MilestoneDoctorReport.of(repository.open()).isHealthy()).isTrue();

    repository.git("reset", "--quiet", "--hard", "HEAD^");
    Files.writeString(repository.sidecars().folder().resolve("f".repeat(40) + ".json"), "");
    MilestoneDoctorReport found = MilestoneDoctorReport.of(repository.open());

    assertThat(found.isHealthy()).isFalse();
    assertThat(found.located())
        .extracting(each -> each.word())
        .containsExactly("ok", "unreachable");
    assertThat(found.located().getLast().sidecar().sha()).isEqualTo(second.sha());
    assertThat(found.malformed()).hasSize(1);
    assertThat(found.index()).isEmpty();
  }
}
