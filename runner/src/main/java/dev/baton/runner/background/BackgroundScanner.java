/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.background;

import dev.baton.process.ProcessEntry;
import dev.baton.process.ProcessTreeSnapshot;
import dev.baton.process.ProcfsProcessReader;
import dev.baton.protocol.json.TextShortener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the processes of an agent step that are neither the agent's own program nor an MCP server,
 * by the marks in their environment, in {@code /proc}. Thread-safe.
 */
public final class BackgroundScanner {
  /** The mark of processes that Baton has started again. */
  public static final String MARK = "BATON_BACKGROUND";

  /** The most processes of a list; the oldest ones. */
  public static final int MAX_PROCESSES = 50;

  private static final int MAX_ARGUMENTS = 100;
  private static final int MAX_ARGUMENT_CHARS = 4_096;
  private static final int MAX_FOLDER = 1_000;
  private static final int MAX_GENERATIONS = 1_000;

  private final Set<String> marks;
  private final String serverMark;
  private final Supplier<Set<Long>> agents;
  private final BackgroundFolder folders;
  private final Map<String, String> runner;

  /** What was alive before the agent could start a tool: its own program. By pid. */
  private volatile Map<Long, Long> own = Map.of();

  /**
   * @param marks {@code NAME=value} pairs of the step
   * @param serverMark name of the variable that only MCP servers have
   * @param agents the first processes of the agent
   * @param runner environment of the runner, whose secrets must not appear
   */
  public BackgroundScanner(
      Set<String> marks,
      String serverMark,
      Supplier<Set<Long>> agents,
      BackgroundFolder folders,
      Map<String, String> runner) {
    this.marks = Set.copyOf(marks);
    this.serverMark = serverMark;
    this.agents = agents;
    this.folders = folders;
    this.runner = Map.copyOf(runner);
  }

  /** Whether this system can list processes with their environments. */
  public static boolean isSupported() {
    return ProcfsProcessReader.isSupported();
  }

  /** Takes all processes that are alive now, except those started again, for the agent's own. */
  public void agentIsReady() {
    Map<Long, Long> alive = new HashMap<>();
    marked(ProcessTreeSnapshot.take())
        .forEach(
            entry -> {
              if (!isRestarted(entry.pid())) {
                alive.put(entry.pid(), entry.startTicks());
              }
            });
    own = Map.copyOf(alive);
  }

  /** Returns the processes in the background, the oldest first. */
  public List<BackgroundProcess> scan() {
    ProcessTreeSnapshot all = ProcessTreeSnapshot.take();
    Set<Long> roots = agents.get();
    List<ProcessEntry> found =
        marked(all).stream()
            .filter(entry -> isInBackground(entry, all, roots))
            .sorted(
                Comparator.comparingLong(ProcessEntry::startTicks)
                    .thenComparingLong(ProcessEntry::pid))
            .limit(MAX_PROCESSES)
            .toList();
    Map<Long, Integer> index = new HashMap<>();
    List<BackgroundProcess> processes = new ArrayList<>();
    for (ProcessEntry entry : found) {
      List<String> words = ProcfsProcessReader.arguments(entry.pid());
      Path folder = ProcfsProcessReader.directory(entry.pid());
      if (words.isEmpty() || folder == null) {
        continue; // It has ended since.
      }
      index.put(entry.pid(), processes.size());
      processes.add(describe(entry, words, folder, parent(entry, all, index)));
    }
    return processes;
  }

  private BackgroundProcess describe(
      ProcessEntry entry, List<String> words, Path folder, int parent) {
    List<String> redacted =
        new CommandRedactor(List.of(runner, ProcfsProcessReader.environment(entry.pid(), "")))
            .redact(words);
    String obstacle = obstacle(words, redacted);
    return new BackgroundProcess(
        TextShortener.shorten(String.join(" ", redacted), BackgroundProcess.MAX_COMMAND),
        TextShortener.shorten(folders.kept(folder), MAX_FOLDER),
        ProcessHandle.of(entry.pid()).flatMap(it -> it.info().startInstant()).orElse(null),
        obstacle == null ? words : List.of(),
        obstacle,
        parent);
  }

  private static @Nullable String obstacle(List<String> words, List<String> redacted) {
    if (!words.equals(redacted)) {
      return "its command contains what looks like a secret, and checkpoints keep none: pass it in a variable or a file";
    }
    int chars = words.stream().mapToInt(String::length).sum();
    if (words.size() > MAX_ARGUMENTS || chars > MAX_ARGUMENT_CHARS) {
      return "its command has %d words and %d characters, at most %d and %d are kept"
          .formatted(words.size(), chars, MAX_ARGUMENTS, MAX_ARGUMENT_CHARS);
    }
    if (words.stream().anyMatch(word -> word.indexOf('\ufffd') >= 0)) {
      return "its command is not UTF-8";
    }
    return null;
  }

  private List<ProcessEntry> marked(ProcessTreeSnapshot all) {
    long self = ProcessHandle.current().pid();
    return all.all().stream()
        .filter(
            entry ->
                entry.pid() != self
                    && !entry.isDead()
                    && ProcfsProcessReader.hasVariables(entry.pid(), marks)
                    && ProcfsProcessReader.environment(entry.pid(), serverMark).isEmpty())
        .toList();
  }

  private boolean isInBackground(ProcessEntry entry, ProcessTreeSnapshot all, Set<Long> roots) {
    Long known = own.get(entry.pid());
    if (roots.contains(entry.pid()) || known != null && known == entry.startTicks()) {
      return false;
    }
    return isRestarted(entry.pid()) || !isForkOfAgent(entry, all, roots);
  }

  private static boolean isRestarted(long pid) {
    return ProcfsProcessReader.environment(pid, MARK).containsKey(MARK);
  }

  /** Whether it is the agent's program itself, with its command, that the agent has forked. */
  private static boolean isForkOfAgent(
      ProcessEntry entry, ProcessTreeSnapshot all, Set<Long> roots) {
    for (long root : roots) {
      if (all.descendants(Set.of(root)).contains(entry.pid())
          && ProcfsProcessReader.arguments(entry.pid())
              .equals(ProcfsProcessReader.arguments(root))) {
        return true;
      }
    }
    return false;
  }

  private static int parent(ProcessEntry of, ProcessTreeSnapshot all, Map<Long, Integer> index) {
    Set<Long> seen = new HashSet<>();
    ProcessEntry entry = all.get(of.parent());
    while (entry != null && seen.size() < MAX_GENERATIONS && seen.add(entry.pid())) {
      Integer found = index.get(entry.pid());
      if (found != null) {
        return found;
      }
      entry = all.get(entry.parent());
    }
    return -1;
  }
}
