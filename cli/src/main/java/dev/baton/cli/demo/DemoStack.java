/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.cli.client.ApiKeyResolver;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.ServerAddress;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.stack.DataFolder;
import dev.baton.cli.stack.StackInfo;
import dev.baton.cli.stack.StackProgram;
import dev.baton.cli.stack.StartupCacheBuilder;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.snapshot.TreeDeleter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A dedicated stack in a new folder. Stopped however the demo ends, including Ctrl-C; the folder is
 * deleted after a success or an interrupt.
 */
final class DemoStack implements AutoCloseable {
  private final CommandContext context;
  private final DemoPrinter narrator;
  private final Path folder;
  private final DataFolder data;
  private final Thread hook;
  private final boolean wanted;
  private volatile boolean failed = true;
  private boolean closed;

  private DemoStack(CommandContext context, DemoPrinter narrator, Path folder, boolean keep) {
    this.context = context;
    this.narrator = narrator;
    this.folder = folder;
    this.data = new DataFolder(folder.resolve("data"));
    this.wanted = keep;
    this.hook = new Thread(this::abandon, "demo-cleanup");
  }

  /**
   * Starts the stack.
   *
   * @param keep whether its folder stays
   * @param caches whether missing start-up caches are created first, which takes minutes
   * @param settings variables of all components
   */
  static DemoStack start(
      CommandContext context,
      DemoPrinter narrator,
      boolean keep,
      boolean caches,
      Map<String, String> settings)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("baton-demo-");
    DemoStack stage = new DemoStack(context, narrator, folder, keep);
    Runtime.getRuntime().addShutdownHook(stage.hook);
    try {
      stage.raise(caches, settings);
      return stage;
    } catch (IOException | InterruptedException | RuntimeException e) {
      stage.close();
      stage.tellIfKept();
      throw e;
    }
  }

  private void raise(boolean caches, Map<String, String> settings)
      throws IOException, InterruptedException {
    Files.createDirectories(data.path());
    StackProgram program = StackProgram.of(data).with(settings);
    narrator.title(
        "Starting Kafka, Postgres, an object store, the checkpoint-store and the orchestrator");
    narrator.line("  in " + folder);
    narrator.begin("starting");
    try {
      if (caches) {
        StartupCacheBuilder.ensure(context.terminal(), line -> narrator.line("  " + line));
      }
      program.up(List.of(), line -> narrator.line("  " + line));
    } finally {
      narrator.end();
    }
  }

  /** Returns the addresses and secrets of its components. */
  StackInfo info() {
    return data.stack()
        .orElseThrow(() -> CliException.of(CliExitCode.FAILED, data.stackFile() + " is gone"));
  }

  OrchestratorRestClient client() {
    String url = Objects.requireNonNull(info().url("orchestrator"), "stack.json has no address");
    ServerAddress server = ServerAddress.parse(url, data.stackFile().toString());
    return new OrchestratorRestClient(
        server,
        ApiKeyResolver.local(data, server),
        TlsSettings.NONE,
        context.terminal(),
        context.options().verbose());
  }

  Path folder() {
    return folder;
  }

  /** Marks the demo as successful: the folder is then kept only with {@code --keep}. */
  void succeeded() {
    failed = false;
  }

  void tellIfKept() {
    if (wanted || failed) {
      narrator.line("  the demo's data is kept in " + folder);
    }
  }

  /**
   * Returns processes that have the demo's folder in their arguments or environment; call after
   * {@link #close}.
   */
  List<String> leftovers() {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(process -> process.pid() != ProcessHandle.current().pid())
          .filter(this::isOurs)
          .map(process -> process.pid() + " " + process.info().commandLine().orElse(""))
          .toList();
    }
  }

  private boolean isOurs(ProcessHandle process) {
    if (process.info().commandLine().orElse("").contains(folder.toString())) {
      return true;
    }
    try {
      Path environment = Path.of("/proc", Long.toString(process.pid()), "environ");
      return Files.readString(environment, StandardCharsets.ISO_8859_1).contains(folder.toString());
    } catch (IOException _) {
      // The process ended, belongs to another user, or the system has no /proc: in no case a
      // process of ours that could be found this way.
      return false;
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
    if (!wanted && !failed) {
      TreeDeleter.deleteFully(folder);
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // The JVM is already shutting down, in this hook.
    }
  }

  /** Stops everything and deletes the folder after Ctrl-C. */
  private void abandon() {
    failed = false;
    try {
      close();
    } catch (IOException | InterruptedException | RuntimeException e) {
      context.terminal().err().println("baton: cleaning up failed: " + e.getMessage());
    }
  }
}
