/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.git;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs git in one directory. Hooks, signing, file watchers, external diffs and background
 * maintenance from the repository's settings are disabled; filters from its attributes run when
 * files are added. Each call has a time limit; its processes are killed when it ends, however it
 * ends. Thread-safe.
 */
public final class GitClient {
  private static final List<String> PROGRAM =
      List.of(
          "git",
          "--no-pager",
          "-c",
          "core.hooksPath=/dev/null",
          "-c",
          "core.fsmonitor=false",
          "-c",
          "commit.gpgSign=false",
          "-c",
          "log.showSignature=false",
          "-c",
          "gc.auto=0",
          "-c",
          "maintenance.auto=false",
          "-c",
          "core.quotePath=false",
          "-c",
          "i18n.commitEncoding=UTF-8",
          "-c",
          "i18n.logOutputEncoding=UTF-8");

  /**
   * Options for {@link #patchIds}, fixed so that the ids do not depend on the repository's
   * settings.
   */
  private static final List<String> PATCH =
      List.of(
          "-p",
          "--full-index",
          "--no-ext-diff",
          "--no-textconv",
          "--no-color",
          "--no-renames",
          "--no-indent-heuristic",
          "--diff-algorithm=myers",
          "--unified=3",
          "--inter-hunk-context=0",
          "--src-prefix=a/",
          "--dst-prefix=b/",
          "--submodule=short");

  /** Variables that redirect git to another directory or change its diff output; removed. */
  private static final List<String> FOREIGN =
      List.of(
          "GIT_DIR",
          "GIT_WORK_TREE",
          "GIT_INDEX_FILE",
          "GIT_OBJECT_DIRECTORY",
          "GIT_ALTERNATE_OBJECT_DIRECTORIES",
          "GIT_NAMESPACE",
          "GIT_PREFIX",
          "GIT_EXTERNAL_DIFF",
          "GIT_DIFF_OPTS",
          "GIT_LITERAL_PATHSPECS",
          "GIT_GLOB_PATHSPECS",
          "GIT_NOGLOB_PATHSPECS",
          "GIT_ICASE_PATHSPECS",
          "GIT_TRACE");

  private static final int MAX_ANSWER = 16 << 20;
  private static final int MAX_COMPLAINT = 500;
  private static final File NOTHING = new File("/dev/null");

  private final Path directory;
  private final Map<String, String> environment;
  private final Duration limit;
  private final Starter starter;

  /** Starts programs as a pipeline: each reads the output of the one before it. */
  @FunctionalInterface
  public interface Starter {
    List<Process> start(List<ProcessBuilder> builders) throws IOException;
  }

  /** Receives the lines of git's output as they arrive. */
  public interface Lines {
    void take(String line) throws IOException;
  }

  /**
   * The result of a call.
   *
   * @param out standard output without the final line end
   * @param complaint the beginning of standard error
   */
  public record Answer(int exitCode, String out, String complaint) {
    public boolean isOk() {
      return exitCode == 0;
    }
  }

  /**
   * @param environment of the caller; variables that redirect git are removed
   * @param limit of each call
   */
  public GitClient(Path directory, Map<String, String> environment, Duration limit) {
    this(directory, environment, limit, ProcessBuilder::startPipeline);
  }

  /** Creates a client with a custom process starter. */
  public GitClient(
      Path directory, Map<String, String> environment, Duration limit, Starter starter) {
    this(directory, environment, Map.of(), limit, starter);
  }

  private GitClient(
      Path directory,
      Map<String, String> environment,
      Map<String, String> more,
      Duration limit,
      Starter starter) {
    this.starter = starter;
    this.directory = directory;
    this.environment = new HashMap<>(environment);
    FOREIGN.forEach(this.environment::remove);
    this.environment.put("LC_ALL", "C.UTF-8");
    this.environment.put("GIT_TERMINAL_PROMPT", "0");
    this.environment.put("GIT_OPTIONAL_LOCKS", "0");
    this.environment.put("GIT_NO_LAZY_FETCH", "1");
    this.environment.putAll(more);
    this.limit = limit;
  }

  /**
   * Returns a client bound to the repository in this directory; git does not search the parent
   * directories.
   */
  public GitClient here() {
    return new GitClient(
        directory,
        environment,
        Map.of(
            "GIT_DIR", directory.resolve(".git").toString(), "GIT_WORK_TREE", directory.toString()),
        limit,
        starter);
  }

  /** Returns a client with one more environment variable. */
  public GitClient with(String name, String value) {
    Map<String, String> more = new HashMap<>();
    for (String bound : List.of("GIT_DIR", "GIT_WORK_TREE")) {
      String known = environment.get(bound);
      if (known != null) {
        more.put(bound, known);
      }
    }
    more.put(name, value);
    return new GitClient(directory, environment, more, limit, starter);
  }

  /** Whether the caller's environment sets the variable. */
  public boolean hasVariable(String name) {
    return environment.containsKey(name);
  }

  /**
   * Runs git and returns its exit code and output, at most 16 MiB.
   *
   * @throws GitException when git cannot be started, exceeds the time limit, or prints more than 16
   *     MiB
   */
  public Answer call(String... arguments) throws IOException, InterruptedException {
    StringBuilder out = new StringBuilder();
    return run(
        List.of(builder(List.of(arguments))),
        line -> {
          if (out.length() + line.length() > MAX_ANSWER) {
            throw new GitException("git " + arguments[0] + " printed more than 16 MiB");
          }
          out.append(out.isEmpty() ? "" : "\n").append(line);
        },
        out);
  }

  /**
   * Runs git and returns its output.
   *
   * @throws GitException also when git exits with an error
   */
  public String ask(String... arguments) throws IOException, InterruptedException {
    return checked(call(arguments), arguments[0]).out();
  }

  /**
   * Runs git and passes each line of its output, of any length, to {@code lines}.
   *
   * @throws GitException also when git exits with an error
   */
  public void read(Lines lines, String... arguments) throws IOException, InterruptedException {
    checked(run(List.of(builder(List.of(arguments))), lines, new StringBuilder()), arguments[0]);
  }

  /**
   * Returns the stable patch ids of a command's output, by commit; empty commits and merges have
   * none.
   *
   * @param command {@code log}, {@code diff-tree --root} or {@code diff}, and what to show
   */
  public Map<String, String> patchIds(List<String> command, String... of)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(command);
    words.addAll(PATCH);
    words.addAll(Arrays.asList(of));
    Map<String, String> ids = new HashMap<>();
    checked(
        run(
            List.of(builder(words), builder(List.of("patch-id", "--stable"))),
            line -> {
              String[] parts = line.split(" ", 2);
              if (parts.length == 2) {
                ids.put(parts[1], parts[0]);
              }
            },
            new StringBuilder()),
        "patch-id");
    return ids;
  }

  private static Answer checked(Answer answer, String what) throws GitException {
    if (!answer.isOk()) {
      throw new GitException(
          "git %s failed with exit code %d: %s"
              .formatted(what, answer.exitCode(), answer.complaint()));
    }
    return answer;
  }

  private ProcessBuilder builder(List<String> arguments) {
    List<String> words = new ArrayList<>(PROGRAM);
    words.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }

  private Answer run(List<ProcessBuilder> builders, Lines lines, StringBuilder out)
      throws IOException, InterruptedException {
    builders.getFirst().redirectInput(ProcessBuilder.Redirect.from(NOTHING));
    List<Process> processes;
    try {
      processes = starter.start(builders);
    } catch (IOException e) {
      throw new GitException(
          "git cannot be started in " + directory + " (is it installed?): " + e.getMessage(), e);
    }
    long end = System.nanoTime() + limit.toNanos();
    try {
      FutureTask<Boolean> reading = reading(processes.getLast().getInputStream(), lines);
      List<FutureTask<String>> complaints =
          processes.stream().map(process -> complaining(process.getErrorStream())).toList();
      await(reading, end);
      StringBuilder complaint = new StringBuilder();
      for (FutureTask<String> words : complaints) {
        complaint.append(await(words, end));
      }
      int code = 0;
      for (Process process : processes) {
        if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          throw new TimeoutException();
        }
        code = code == 0 ? process.exitValue() : code;
      }
      return new Answer(code, out.toString(), complaint.toString());
    } catch (TimeoutException e) {
      throw new GitException(
          "%s did not finish within %d s".formatted(words(builders), limit.toSeconds()), e);
    } finally {
      processes.forEach(GitClient::kill);
    }
  }

  private static String words(List<ProcessBuilder> builders) {
    List<String> words = builders.getFirst().command();
    return "git " + String.join(" ", words.subList(PROGRAM.size(), words.size()));
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static FutureTask<Boolean> reading(InputStream from, Lines lines) {
    return started(
        new FutureTask<>(
            () -> {
              try (BufferedReader reader =
                  new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                  lines.take(line);
                }
              }
              return true;
            }));
  }

  private static FutureTask<String> complaining(InputStream from) {
    return started(
        new FutureTask<>(
            () -> {
              try (from) {
                String text = new String(from.readNBytes(MAX_COMPLAINT), StandardCharsets.UTF_8);
                // Drains the rest: a process blocked on a full pipe would not exit.
                from.transferTo(OutputStream.nullOutputStream());
                return text.strip().replaceAll("\\s*[\\r\\n]+\\s*", " ");
              }
            }));
  }

  private static <T> FutureTask<T> started(FutureTask<T> task) {
    // A platform thread, since a pipe read occupies one anyway.
    Thread.ofPlatform().daemon().name("git").start(task);
    return task;
  }

  private static <T> T await(FutureTask<T> task, long end)
      throws IOException, InterruptedException, TimeoutException {
    try {
      return task.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw new GitException("cannot read git's output: " + e.getCause(), e);
    }
  }
}
