/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Records each Java process of a stack with Flight Recorder, until closed. */
public final class JfrRecorder implements AutoCloseable {
  private final Map<Long, Path> files;

  private JfrRecorder(Map<Long, Path> files) {
    this.files = files;
  }

  /** Records nothing without a folder or a stack. */
  public static JfrRecorder start(@Nullable Path folder, @Nullable BenchmarkStack stack)
      throws IOException, InterruptedException {
    return start(folder, stack, Map.of());
  }

  /** Records the stack's processes and others, whose names are given by process id. */
  public static JfrRecorder start(
      @Nullable Path folder, @Nullable BenchmarkStack stack, Map<Long, String> others)
      throws IOException, InterruptedException {
    Map<Long, Path> files = new TreeMap<>();
    if (folder != null && stack != null) {
      Path target = Files.createDirectories(folder).toAbsolutePath();
      Map<Long, String> processes = new TreeMap<>(stack.processes());
      processes.putAll(others);
      for (Map.Entry<Long, String> process : processes.entrySet()) {
        if (JavaProcessCommand.isJava(process.getKey())) {
          String name = process.getValue() + "-" + process.getKey() + ".jfr";
          files.put(process.getKey(), target.resolve(name));
        }
      }
      for (long pid : files.keySet()) {
        JavaProcessCommand.run(pid, "JFR.start", "name=benchmark", "settings=profile");
      }
    }
    return new JfrRecorder(files);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    for (Map.Entry<Long, Path> file : files.entrySet()) {
      JavaProcessCommand.run(
          file.getKey(), "JFR.stop", "name=benchmark", "filename=" + file.getValue());
    }
  }
}
