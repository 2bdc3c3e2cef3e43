/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import dev.baton.snapshot.posix.MountNamespace;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.ProcessCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Mounts a run's workspace for the processes of its steps at one path, the same for every run,
 * branch and host, in a mount namespace of their own, and hides the files of all other runs. An
 * absolute path that a tool writes into the workspace (a linked work tree of git, a virtual
 * environment, a CMake cache) therefore stays valid wherever the workspace is restored.
 *
 * <p>Requires CAP_SYS_ADMIN and {@code nsenter} of util-linux 2.38. Without them, workspaces are at
 * their own paths. Thread-safe.
 */
public final class WorkspaceMount {
  /** Workspaces at their own paths. */
  public static final WorkspaceMount NONE = new WorkspaceMount(null, Path.of("/nonexistent"));

  private static final String BRANCHES = "branches";

  /** Folder of a run with the homes of its agents. */
  public static final String AGENTS = "agents";

  private static final Logger LOG = Logger.getLogger(WorkspaceMount.class);
  private static final Optional<String> NSENTER = UtilLinuxFinder.path("nsenter");
  private static final Duration TEST_TIME = Duration.ofSeconds(10);

  private final @Nullable Path at;
  private final Path hidden;
  private final FutureTask<Boolean> possible = new FutureTask<>(this::isPossible);

  private WorkspaceMount(@Nullable Path at, Path hidden) {
    this.at = at;
    this.hidden = hidden;
  }

  /**
   * Mounts workspaces at this path if the kernel permits it, which is tested at the first use.
   *
   * @param at created if missing; it and its parent folder are reserved for this purpose, and the
   *     parent is not the root of the file system
   * @param runs the folder with the files of all runs, which is hidden from steps
   */
  public static WorkspaceMount at(Path at, Path runs) {
    return new WorkspaceMount(at, runs);
  }

  /** The path under which a step's processes see its workspace. */
  public Path seen(Path workspace) {
    return shared().orElse(workspace);
  }

  /** Returns the path at which every workspace is seen; empty if each is at its own path. */
  public Optional<Path> shared() {
    possible.run();
    try {
      return possible.get() ? Optional.ofNullable(at) : Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException("workspace mount: test failed", e.getCause());
    } catch (InterruptedException e) {
      // The test has already run, so this does not wait.
      Thread.currentThread().interrupt();
      return Optional.ofNullable(at);
    }
  }

  /**
   * Starts a step's process in the workspace at {@link #seen}; the files of other runs are hidden
   * from it.
   */
  Process start(ProcessBuilder builder, Path workspace) throws IOException {
    Path shown = shared().orElse(null);
    if (shown == null) {
      return builder.directory(workspace.toFile()).start();
    }
    MountNamespace view = MountNamespace.create(() -> show(workspace, shown, true));
    return startIn(view, List.of(builder.directory(shown.toFile()))).getLast();
  }

  /**
   * Starts processes of the runner itself as {@link ProcessBuilder#startPipeline} does: they see
   * the workspace at both paths, and all other files as the runner sees them. Their directory is
   * that of their builder.
   */
  public List<Process> startOwn(List<ProcessBuilder> builders, Path workspace) throws IOException {
    Path shown = shared().orElse(null);
    if (shown == null) {
      return ProcessBuilder.startPipeline(builders);
    }
    return startIn(MountNamespace.create(() -> show(workspace, shown, false)), builders);
  }

  /** Closes the namespace when the last process has ended: nsenter opens it after the start. */
  private static List<Process> startIn(MountNamespace view, List<ProcessBuilder> builders)
      throws IOException {
    try {
      builders.forEach(builder -> enter(view, builder));
      List<Process> started = ProcessBuilder.startPipeline(builders);
      CompletableFuture.allOf(
              started.stream().map(Process::onExit).toArray(CompletableFuture[]::new))
          .thenRun(view::close);
      return started;
    } catch (IOException | RuntimeException e) {
      view.close();
      throw e;
    }
  }

  private static void enter(MountNamespace view, ProcessBuilder builder) {
    List<String> words = new ArrayList<>();
    words.add(NSENTER.orElseThrow());
    words.add("--mount=" + view.path());
    words.add("--wdns=" + Objects.requireNonNull(builder.directory()));
    words.add("--");
    words.addAll(builder.command());
    builder.command(words);
  }

  /**
   * Mounts the run's own folder as the parent of the workspace, as without a mount namespace: files
   * that a step writes next to its workspace stay in its run.
   */
  private void show(Path workspace, Path shown, boolean alone) throws IOException {
    Path folder = runFolder(workspace);
    if (folder != null) {
      Files.createDirectories(folder.resolve(shown.getFileName()));
      MountNamespace.bind(folder, parent(shown));
    }
    MountNamespace.bind(workspace, shown);
    if (alone) {
      if (folder != null) {
        hide(parent(shown).resolve(BRANCHES), shown);
      }
      showAgents(folder, shown);
    }
  }

  /** Hides the files of all runs but the homes of this run's agents, which keep their paths. */
  private void showAgents(@Nullable Path folder, Path shown) throws IOException {
    if (folder == null || !Files.isDirectory(folder.resolve(AGENTS))) {
      hide(hidden, shown);
      return;
    }
    Path run = hidden.relativize(folder);
    Path view = folder.resolve("view");
    Files.createDirectories(view.resolve(run).resolve(AGENTS));
    MountNamespace.bindReadOnly(view, hidden);
    MountNamespace.bind(parent(shown).resolve(AGENTS), folder.resolve(AGENTS));
  }

  private static void hide(Path what, Path shown) throws IOException {
    try {
      MountNamespace.bindReadOnly(empty(shown), what);
    } catch (PosixException e) {
      // The run has no branches, or the runner is inside a workspace whose own folder is now
      // covered.
      if (!e.isAbsent()) {
        throw e;
      }
    }
  }

  private @Nullable Path runFolder(Path workspace) {
    return workspace.startsWith(hidden) && !workspace.equals(hidden)
        ? hidden.resolve(hidden.relativize(workspace).getName(0))
        : null;
  }

  private static Path parent(Path shown) {
    return Objects.requireNonNull(shown.getParent());
  }

  private static Path empty(Path shown) {
    Path parent = parent(shown);
    return parent.resolveSibling(parent.getFileName() + ".empty");
  }

  private boolean isPossible() {
    Path shown = at;
    if (shown == null) {
      return false;
    }
    try {
      if (!ProcessCredentials.isSuperuser()) {
        throw new IOException("only the superuser may mount");
      }
      Files.createDirectories(shown);
      Files.createDirectories(empty(shown));
      if (NSENTER.isEmpty()) {
        throw new IOException("nsenter of util-linux is missing");
      }
      test(shown);
      return true;
    } catch (IOException | UnsupportedOperationException e) {
      LOG.infof(
          "workspaces: not shown at %s, each is at its own path; absolute paths in known formats are rewritten: %s",
          shown, e.getMessage());
      return false;
    }
  }

  private static void test(Path shown) throws IOException {
    MountNamespace view = MountNamespace.create(() -> MountNamespace.bind(empty(shown), shown));
    ProcessBuilder builder =
        new ProcessBuilder("true")
            .directory(shown.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    Process process = startIn(view, List.of(builder)).getLast();
    try {
      if (!process.waitFor(TEST_TIME.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new IOException("nsenter has not ended after " + TEST_TIME.toSeconds() + " s");
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            "nsenter ended with %d; util-linux 2.38 or newer is needed"
                .formatted(process.exitValue()));
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted during the test of nsenter", e);
    }
  }
}
