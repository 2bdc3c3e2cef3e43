/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.operator.RunStatusMapper.AppliedMode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunStatusMapperTest {
  private static final Instant NOW = Instant.parse("2030-01-02T03:04:05.678Z");
  private static final ResourceKey KEY = new ResourceKey("uid", "apps", "nightly");

  private final RunStatusMapper mapper = at(NOW);

  private static RunStatusMapper at(Instant now) {
    return new RunStatusMapper(Clock.fixed(now, ZoneOffset.UTC));
  }

  private static RunCustomResource resource() {
    RunCustomResource run = new RunCustomResource();
    run.setMetadata(
        new ObjectMetaBuilder()
            .withName("nightly")
            .withNamespace("apps")
            .withUid("uid")
            .withGeneration(3L)
            .build());
    run.setSpec(RunSpec.EMPTY);
    return run;
  }

  private static RunReport report(String status, boolean ended) {
    return new RunReport(
        KEY,
        "run",
        status,
        ended,
        2,
        ended ? null : "build",
        4,
        null,
        ended ? null : new RunReport.Runner("runner-1", "pod-1", null, null),
        null,
        NOW.minusSeconds(60),
        ended ? NOW : null,
        status.equals("failed") ? "step build: exit code 3" : null,
        RunDeletionPolicy.CANCEL);
  }

  private static String condition(RunResourceStatus status, String type) {
    ResourceCondition found = ResourceCondition.find(status.conditions(), type).orElseThrow();
    return found.status() + "/" + found.reason();
  }

  @Test
  void shouldShowARunInProgress() {
    RunResourceStatus status = mapper.of(resource(), report("running", false), null);

    assertThat(status.phase()).isEqualTo("Running");
    assertThat(status.step()).isEqualTo("build");
    assertThat(status.observedGeneration()).isEqualTo(3);
    assertThat(status.runner())
        .isEqualTo(new RunResourceStatus.RunnerIdentity("runner-1", "pod-1"));
    assertThat(condition(status, "Accepted")).isEqualTo("True/Started");
    assertThat(condition(status, "Launched")).isEqualTo("True/RunnerAssigned");
    assertThat(condition(status, "Waiting")).isEqualTo("False/NoApproval");
    assertThat(condition(status, "Succeeded")).isEqualTo("Unknown/Running");
    assertThat(status.startedAt()).isEqualTo("2030-01-02T03:03:05Z");
  }

  @Test
  void shouldShowTheEndOfARunWithItsError() {
    RunResourceStatus failed = mapper.of(resource(), report("failed", true), null);
    RunResourceStatus completed = mapper.of(resource(), report("completed", true), null);

    assertThat(failed.phase()).isEqualTo("Failed");
    assertThat(failed.message()).isEqualTo("step build: exit code 3");
    assertThat(condition(failed, "Succeeded")).isEqualTo("False/Failed");
    assertThat(condition(completed, "Succeeded")).isEqualTo("True/Completed");
    assertThat(completed.finishedAt()).isEqualTo("2030-01-02T03:04:05Z");
  }

  @Test
  void shouldShowWhyARunWaitsForARunnerAndForAnAnswer() {
    RunReport base = report("pending", false);
    RunReport queued =
        new RunReport(
            KEY,
            "run",
            "pending",
            false,
            1,
            null,
            0,
            null,
            null,
            new RunReport.Queued("launcher_no_room", "exceeded quota: pods"),
            null,
            null,
            null,
            RunDeletionPolicy.CANCEL);
    RunReport waiting =
        new RunReport(
            KEY,
            "run",
            "waiting",
            false,
            1,
            "review",
            1,
            new RunReport.Approval("a1", "review", "Deploy?"),
            base.runner(),
            null,
            base.startedAt(),
            null,
            null,
            RunDeletionPolicy.CANCEL);

    RunResourceStatus first = mapper.of(resource(), queued, null);
    RunResourceStatus second = mapper.of(resource(), waiting, null);

    assertThat(first.phase()).isEqualTo("Queued");
    assertThat(first.message()).isEqualTo("exceeded quota: pods");
    assertThat(condition(first, "Launched")).isEqualTo("False/LauncherNoRoom");
    assertThat(second.waitingFor())
        .isEqualTo(new RunResourceStatus.WaitingApproval("a1", "review", "Deploy?"));
    assertThat(condition(second, "Waiting")).isEqualTo("True/ApprovalRequested");
  }

  @Test
  void shouldKeepTheTimeOfAConditionWhileItsStatusIsTheSame() {
    RunCustomResource run = resource();
    run.setStatus(mapper.of(run, report("running", false), null));

    RunResourceStatus same = at(NOW.plusSeconds(9)).of(run, report("running", false), null);
    RunResourceStatus ended = at(NOW.plusSeconds(9)).of(run, report("completed", true), null);

    assertThat(same).isEqualTo(run.getStatus());
    assertThat(
            ResourceCondition.find(ended.conditions(), "Succeeded")
                .orElseThrow()
                .lastTransitionTime())
        .isEqualTo("2030-01-02T03:04:14Z");
  }

  @Test
  void shouldReportAChangeOfWhatIsFixedAtTheStart() {
    RunCustomResource run = resource();
    run.setStatus(mapper.of(run, report("running", false), null));
    run.setSpec(new RunSpec(null, "other", null, null, null, null, null, null, null, null));

    RunResourceStatus status = mapper.of(run, report("running", false), null);

    assertThat(condition(status, "Accepted")).isEqualTo("True/ChangeIgnored");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "\u0001", "\"", "é", "…", "😀"})
  void shouldBoundTheStatusWhateverTheReportContains(String unit) {
    String text = unit.repeat(20_000);
    RunCustomResource run = resource();
    run.setStatus(mapper.of(run, report("running", false), null));
    run.setSpec(new RunSpec(null, "other", null, null, null, null, null, null, null, null));
    RunReport report =
        new RunReport(
            KEY,
            text,
            text,
            false,
            Integer.MAX_VALUE,
            text,
            Long.MAX_VALUE,
            new RunReport.Approval(text, text, text),
            new RunReport.Runner(text, text, text, text),
            new RunReport.Queued(text, text),
            Instant.MAX.minusSeconds(1),
            NOW,
            text,
            RunDeletionPolicy.CANCEL);

    RunResourceStatus status =
        mapper.of(run, report, new AppliedMode(RunOperatingMode.CANCELLED, text));
    RunResourceStatus rejected = mapper.rejected(run, text, text);

    assertThat(RunStatusMapper.jsonBytes(status)).isLessThanOrEqualTo(RunResourceStatus.MAX_BYTES);
    assertThat(RunStatusMapper.jsonBytes(rejected))
        .isLessThanOrEqualTo(RunResourceStatus.MAX_BYTES);
    assertThat(status.conditions())
        .extracting(ResourceCondition::type)
        .isEqualTo(List.of("Accepted", "Launched", "Waiting", "Succeeded", "ModeApplied"));
  }

  @Test
  void shouldShowWhyTheRunnerOfARunDoesNotStart() {
    RunReport base = report("resuming", false);
    RunReport starting =
        new RunReport(
            KEY,
            "run",
            "resuming",
            false,
            2,
            null,
            2,
            null,
            new RunReport.Runner("runner-2", null, "queued", "Unschedulable: 0/1 nodes"),
            null,
            base.startedAt(),
            null,
            null,
            RunDeletionPolicy.CANCEL);

    RunResourceStatus status = mapper.of(resource(), starting, null);

    assertThat(condition(status, "Launched")).isEqualTo("False/RunnerQueued");
    assertThat(status.phase()).isEqualTo("Resuming");
    assertThat(status.message()).isEqualTo("Unschedulable: 0/1 nodes");
    assertThat(condition(mapper.of(resource(), base, null), "Launched"))
        .isEqualTo("True/RunnerAssigned");
  }

  @Test
  void shouldTakeProgressForLessThanAChange() {
    RunCustomResource run = resource();
    RunResourceStatus before = mapper.of(run, report("running", false), null);
    RunReport next = report("running", false);
    RunResourceStatus progress =
        mapper.of(
            run,
            new RunReport(
                KEY,
                next.run(),
                next.status(),
                false,
                2,
                "test",
                5,
                null,
                next.runner(),
                null,
                next.startedAt(),
                null,
                null,
                RunDeletionPolicy.CANCEL),
            null);

    assertThat(progress.differsOnlyInProgressFrom(before)).isTrue();
    assertThat(mapper.of(run, report("paused", false), null).differsOnlyInProgressFrom(before))
        .isFalse();
  }
}
