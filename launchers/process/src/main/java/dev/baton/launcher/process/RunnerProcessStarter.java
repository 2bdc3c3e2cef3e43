/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import dev.baton.launcher.LaunchSpec;
import dev.baton.process.ProcessEntry;
import dev.baton.process.ProcfsProcessReader;
import dev.baton.protocol.file.PrivateFolderCreator;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Starts runner processes that outlive this one: each in its own session, with files instead of
 * pipes. Finds those that were started before by the variables in their environment. Thread-safe.
 */
final class RunnerProcessStarter {
  private static final List<Path> SETSID =
      List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));

  /** Settings of services alone: a step can read the environment of its runner. */
  private static final List<String> PRIVATE =
      List.of(
          "BATON_ATTACH_",
          "BATON_DB_",
          "BATON_IDENTITY_",
          "BATON_KAFKA_",
          "BATON_LAUNCHER",
          "BATON_NOTIFICATIONS_",
          "BATON_OBJECT_STORE_",
          "BATON_OPERATOR_",
          "BATON_TLS_",
          "QUARKUS_");

  private static final String NAME = "BATON_RUNNER_ID";
  private static final String FOLDER = "BATON_DATA";

  /** By hash of the log file; a file lock does not exclude threads of the same process. */
  private static final List<ReentrantLock> LOCKS =
      Stream.generate(ReentrantLock::new).limit(64).toList();

  private final ProcessLauncherSettings settings;

  RunnerProcessStarter(ProcessLauncherSettings settings) {
    this.settings = settings;
  }

  /** A process that was started as a child of this one, or found. */
  sealed interface Result {
    record Child(Process process) implements Result {}

    record Found(ProcessHandle handle) implements Result {}
  }

  /**
   * Starts the process, or finds the one with its name. The lock of its log file excludes other
   * threads and processes. A new log file proves that the name is new, which saves the search. The
   * handle is written to a file, since a process that replaces its program has no readable
   * environment for a moment and the search then misses it.
   *
   * @throws IOException when the command cannot be started; the message names it
   */
  Result start(LaunchSpec spec) throws IOException {
    Path log = settings.log(spec.runner());
    PrivateFolderCreator.createOrRestrict(settings.logFolder());
    PrivateFolderCreator.create(settings.workFolder());
    ReentrantLock lock = LOCKS.get(Math.floorMod(log.hashCode(), LOCKS.size()));
    lock.lock();
    try {
      boolean fresh = create(log);
      try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE);
          FileLock _ = channel.lock()) {
        Optional<ProcessHandle> found =
            fresh && Files.size(log) == 0 ? Optional.empty() : find(spec.runner());
        if (found.isPresent()) {
          return new Result.Found(found.get());
        }
        Process process = startProcess(spec, log);
        Files.writeString(
            settings.handle(spec.runner()), ProcessReference.of(process.toHandle()).text());
        return new Result.Child(process);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the process that was started under this name, if it is alive. */
  private Optional<ProcessHandle> recorded(String runner) throws IOException {
    Path file = settings.handle(runner);
    return Files.exists(file)
        ? ProcessReference.parse(Files.readString(file)).flatMap(ProcessReference::alive)
        : Optional.empty();
  }

  private static boolean create(Path log) throws IOException {
    try {
      Files.createFile(log);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  private Process startProcess(LaunchSpec spec, Path log) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command());
    builder.directory(settings.workFolder().toFile());
    builder.redirectInput(new File("/dev/null"));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    environment(builder.environment(), spec);
    return builder.start();
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    // setsid replaces itself with the command, so pid and exit code are those of the command.
    SETSID.stream()
        .filter(Files::isExecutable)
        .findFirst()
        .ifPresent(setsid -> command.add(setsid.toString()));
    command.addAll(settings.command());
    return command;
  }

  /** Turns this process's environment into that of a runner. */
  void environment(Map<String, String> environment, LaunchSpec spec) {
    environment.keySet().removeIf(name -> PRIVATE.stream().anyMatch(name::startsWith));
    environment.remove("BATON_RUN_ID");
    environment.remove("BATON_EPOCH");
    environment.remove("BATON_STEP_ID");
    environment.put(NAME, spec.runner());
    if (spec.run() != null) {
      environment.put("BATON_RUN_ID", spec.run());
      environment.put("BATON_EPOCH", Integer.toString(spec.epoch()));
    }
    environment.putAll(spec.environment());
    environment.put(FOLDER, settings.workFolder().toString());
  }

  /**
   * Finds a runner's process by its recorded handle, or by the name in its environment, excluding
   * the processes of its steps.
   *
   * @throws IOException when the record cannot be read
   */
  Optional<ProcessHandle> find(String runner) throws IOException {
    return recorded(runner).or(() -> Optional.ofNullable(all().get(runner)));
  }

  /** Returns the live runners of this installation on this host, by name. */
  Map<String, ProcessHandle> all() {
    Map<String, ProcessHandle> all = new ConcurrentHashMap<>();
    ProcfsProcessReader.all().stream()
        .filter(entry -> !entry.isDead())
        .sorted(Comparator.comparingLong(ProcessEntry::startTicks))
        .forEach(
            entry -> {
              Map<String, String> environment =
                  ProcfsProcessReader.environment(entry.pid(), "BATON_");
              String name = environment.get(NAME);
              if (name != null
                  && !environment.containsKey("BATON_STEP_ID")
                  && settings.workFolder().toString().equals(environment.get(FOLDER))) {
                // Of several, the oldest is the runner; the others are its children.
                ProcessHandle.of(entry.pid()).ifPresent(handle -> all.putIfAbsent(name, handle));
              }
            });
    return all;
  }
}
