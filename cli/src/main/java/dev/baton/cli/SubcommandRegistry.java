/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import dev.baton.cli.approval.ApprovalsCommand;
import dev.baton.cli.approval.ApproveCommand;
import dev.baton.cli.approval.RejectCommand;
import dev.baton.cli.archive.ArchiveCommand;
import dev.baton.cli.audit.AuditCommand;
import dev.baton.cli.chaos.ChaosCommand;
import dev.baton.cli.checkpoint.CheckpointCommand;
import dev.baton.cli.completion.CompletionCommand;
import dev.baton.cli.deadletter.DeadLettersCommand;
import dev.baton.cli.demo.DemoCommand;
import dev.baton.cli.diff.DiffRunsCommand;
import dev.baton.cli.doctor.DoctorCommand;
import dev.baton.cli.guard.GuardCommand;
import dev.baton.cli.identity.KeysCommand;
import dev.baton.cli.milestone.MilestonesCommand;
import dev.baton.cli.project.ProjectsCommand;
import dev.baton.cli.run.AttachCommand;
import dev.baton.cli.run.CancelCommand;
import dev.baton.cli.run.DeleteCommand;
import dev.baton.cli.run.EventsCommand;
import dev.baton.cli.run.LabelCommand;
import dev.baton.cli.run.LineageCommand;
import dev.baton.cli.run.LogsCommand;
import dev.baton.cli.run.PauseCommand;
import dev.baton.cli.run.ReplayCommand;
import dev.baton.cli.run.ResumeCommand;
import dev.baton.cli.run.RunCommand;
import dev.baton.cli.run.RunnersCommand;
import dev.baton.cli.run.StatusCommand;
import dev.baton.cli.run.TurnsCommand;
import dev.baton.cli.run.VerifyCommand;
import dev.baton.cli.stack.DownCommand;
import dev.baton.cli.stack.UpCommand;
import dev.baton.cli.store.StoreCommand;
import dev.baton.cli.workflow.ValidateCommand;
import dev.baton.cli.workflow.WorkflowsCommand;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Registers the commands by name. Building the model of one command takes milliseconds, so a call
 * that clearly names a command registers only that one; help, completion and wrong input register
 * all.
 */
final class SubcommandRegistry {
  private static final Map<String, Class<?>> ALL = new LinkedHashMap<>();

  static {
    ALL.put("demo", DemoCommand.class);
    ALL.put("up", UpCommand.class);
    ALL.put("down", DownCommand.class);
    ALL.put("run", RunCommand.class);
    ALL.put("pause", PauseCommand.class);
    ALL.put("resume", ResumeCommand.class);
    ALL.put("replay", ReplayCommand.class);
    ALL.put("diff", DiffRunsCommand.class);
    ALL.put("lineage", LineageCommand.class);
    ALL.put("verify", VerifyCommand.class);
    ALL.put("status", StatusCommand.class);
    ALL.put("archive", ArchiveCommand.class);
    ALL.put("events", EventsCommand.class);
    ALL.put("turns", TurnsCommand.class);
    ALL.put("logs", LogsCommand.class);
    ALL.put("attach", AttachCommand.class);
    ALL.put("dead-letters", DeadLettersCommand.class);
    ALL.put("audit", AuditCommand.class);
    ALL.put("projects", ProjectsCommand.class);
    ALL.put("label", LabelCommand.class);
    ALL.put("approvals", ApprovalsCommand.class);
    ALL.put("approve", ApproveCommand.class);
    ALL.put("reject", RejectCommand.class);
    ALL.put("cancel", CancelCommand.class);
    ALL.put("delete", DeleteCommand.class);
    ALL.put("checkpoint", CheckpointCommand.class);
    ALL.put("milestones", MilestonesCommand.class);
    ALL.put("doctor", DoctorCommand.class);
    ALL.put("store", StoreCommand.class);
    ALL.put("guard", GuardCommand.class);
    ALL.put("validate", ValidateCommand.class);
    ALL.put("workflows", WorkflowsCommand.class);
    ALL.put("runners", RunnersCommand.class);
    ALL.put("keys", KeysCommand.class);
    ALL.put("completion", CompletionCommand.class);
    ALL.put("chaos", ChaosCommand.class);
    ALL.put("version", VersionCommand.class);
  }

  private SubcommandRegistry() {}

  static Collection<Class<?>> of(String... args) {
    Class<?> first = args.length == 0 ? null : ALL.get(args[0]);
    return first == null || first == CompletionCommand.class ? ALL.values() : List.of(first);
  }
}
