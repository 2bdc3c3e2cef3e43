/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.milestone.CommittedMilestone;
import dev.baton.milestone.MilestoneCommitter;
import dev.baton.milestone.MilestoneException;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Milestone;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.MilestoneSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Commits the files of a step that is a milestone, between its work and its end. */
final class StepMilestoneRecorder {
  private static final Logger LOG = Logger.getLogger(StepMilestoneRecorder.class);

  /** Limit of each git call. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private StepMilestoneRecorder() {}

  /**
   * Commits the files and writes the sidecar. Adds a line to the step's log where the repository
   * and the run's state disagree.
   *
   * @param leftOut paths that cuts leave out and that are missing: no step has deleted them
   * @param environment of the step's programs
   */
  static Milestone commit(
      RunExecutionContext run,
      LogAttempt attempt,
      MilestoneSettings milestone,
      int index,
      Path workspace,
      List<String> leftOut,
      Map<String, String> environment)
      throws MilestoneException, InterruptedException {
    run.control().hold().await();
    CommittedMilestone made =
        new MilestoneCommitter(
                environment,
                Clock.systemUTC(),
                builders -> run.fixed().startOwn(builders, workspace))
            .make(
                workspace,
                new MilestoneCommitter.Request(
                    run.run(),
                    index,
                    milestone.title(),
                    milestone.tier().word(),
                    milestone.verify(),
                    leftOut,
                    run.memory().milestones().newestOn(StepPath.branchOf(attempt.step()))),
                run.deadline().leftAtMost(LIMIT));
    made.drift()
        .ifPresent(
            drift -> {
              LOG.warnf("run %s, step '%s': %s", run.run(), attempt.step(), drift);
              run.log().note(attempt, drift);
            });
    MilestoneSidecar sidecar = made.sidecar();
    return new Milestone(
        sidecar.milestoneIndex(),
        milestone.title(),
        milestone.tier().word(),
        sidecar.sha(),
        true,
        made.drift().orElse(null));
  }

  /** Records the cut that has the commit and its sidecar, or that there is none. */
  static void tell(RunExecutionContext run, String step, Milestone milestone, Optional<Cut> cut)
      throws InterruptedException {
    String checkpoint = cut.map(Cut::checkpoint).orElse(null);
    run.append(
        new TraceEvent.CheckpointSaved(
            checkpoint == null ? RunId.next() : checkpoint,
            step,
            CheckpointTrigger.MILESTONE.word(),
            cut.orElse(null),
            cut.isPresent() ? null : "the files could not be stored; see the runner's log",
            milestone));
  }
}
