/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.cli.client.Client;
import dev.baton.cli.client.ServerAddress;
import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.Context;
import dev.baton.cli.command.ExitCode;
import dev.baton.cli.stack.DataFolder;
import dev.baton.cli.stack.FolderDelete;
import dev.baton.cli.stack.StackInfo;
import dev.baton.cli.stack.StackProgram;
import dev.baton.cli.stack.StartCaches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A stack of the demo's own in a fresh folder. However the demo ends, Ctrl-C included, the stack is
 * stopped and the folder removed, unless it is to be kept.
 */
final class DemoStage implements AutoCloseable {
  private final Context context;
  private final Narrator narrator;
  private final Path folder;
  private final DataFolder data;
  private final Thread hook;
  private volatile boolean keep;
  private boolean closed;

  private DemoStage(Context context, Narrator narrator, Path folder, boolean keep) {
    this.context = context;
    this.narrator = narrator;
    this.folder = folder;
    this.data = new DataFolder(folder.resolve("data"));
    this.keep = keep;
    this.hook = new Thread(this::abandon, "demo-cleanup");
  }

  static DemoStage start(Context context, Narrator narrator, boolean keep)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("baton-demo-");
    DemoStage stage = new DemoStage(context, narrator, folder, keep);
    Runtime.getRuntime().addShutdownHook(stage.hook);
    try {
      stage.raise();
      return stage;
    } catch (IOException | InterruptedException | RuntimeException e) {
      stage.keep = true;
      stage.close();
      throw e;
    }
  }

  private void raise() throws IOException, InterruptedException {
    Files.createDirectories(data.path());
    StackProgram program = StackProgram.of(data);
    narrator.title(
        "Starting Kafka, Postgres, an object store, the checkpoint-store and the orchestrator");
    narrator.line("  in " + folder);
    narrator.begin("starting");
    try {
      StartCaches.ensure(context.terminal(), line -> narrator.line("  " + line));
      program.up(List.of(), line -> narrator.line("  " + line));
    } finally {
      narrator.end();
    }
  }

  /** Its parts' addresses and secrets. */
  StackInfo info() {
    return data.stack()
        .orElseThrow(() -> CliFailure.of(ExitCode.FAILED, data.stackFile() + " is gone"));
  }

  Client client() {
    String url = Objects.requireNonNull(info().url("orchestrator"), "stack.json has no address");
    return new Client(
        ServerAddress.parse(url, data.stackFile().toString()),
        context.terminal(),
        context.options().verbose());
  }

  Path folder() {
    return folder;
  }

  void keep(boolean also) {
    keep |= also;
  }

  boolean kept() {
    return keep;
  }

  /** What still runs and names the demo's folder; asked after {@link #close}. */
  List<String> leftovers() {
    String name = folder.toString();
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(p -> p.pid() != ProcessHandle.current().pid())
          .filter(p -> p.info().commandLine().orElse("").contains(name))
          .map(p -> p.pid() + " " + p.info().commandLine().orElse(""))
          .toList();
    }
  }

  @Override
  public synchronized void close() throws IOException, InterruptedException {
    if (closed) {
      return;
    }
    closed = true;
    narrator.begin("stopping");
    try {
      StackProgram.of(data).down(_ -> {});
    } finally {
      narrator.end();
    }
    if (!keep) {
      FolderDelete.delete(folder);
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // The JVM is going down already, and this is that hook.
    }
  }

  private void abandon() {
    try {
      close();
    } catch (IOException | InterruptedException | RuntimeException e) {
      context.terminal().err().println("baton: cleaning up failed: " + e.getMessage());
    }
  }
}
