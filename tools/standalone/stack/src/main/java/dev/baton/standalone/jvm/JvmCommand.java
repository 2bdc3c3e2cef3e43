/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How a Java program is started here: a small heap, the collector with the smallest footprint, its
 * AOT cache.
 *
 * @param program what is started
 * @param heap its memory for objects
 * @param jit how far its code is compiled
 * @param caches where AOT caches are
 * @param aot what to do with them
 * @param libraries where native libraries are
 * @param temp the folder of its temporary files, which must exist when it is started
 */
public record JvmCommand(
    JvmProgram program,
    HeapSettings heap,
    Jit jit,
    AotCacheDirectory caches,
    AotMode aot,
    NativeLibraryCache libraries,
    Path temp) {

  private static final List<String> COMMON =
      List.of(
          "-XX:MinHeapFreeRatio=15",
          "-XX:MaxHeapFreeRatio=40",
          "-XX:+UseCompactObjectHeaders",
          "-Xss512k",
          "-XX:+UseSerialGC",
          // The end of a child process is told on the common pool; on two cores it has one thread,
          // and whatever blocks it would delay a failover.
          "-Djava.util.concurrent.ForkJoinPool.common.parallelism=4",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  /** Of options that another JDK may not know: it does without them. */
  private static final List<String> DIAGNOSTIC =
      List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+IgnoreUnrecognizedVMOptions");

  /** For a training run. A JDK that knows no such option makes a cache with profiles. */
  private static final String WITHOUT_PROFILES = "-XX:-AOTRecordTraining";

  /** Whether the system gives large pages to a process that asks for them. */
  private static final boolean LARGE_PAGES =
      isOffered(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"));

  /** How far code is compiled. */
  public enum Jit {
    /**
     * Quickly, and once. For what others rarely wait for: the optimizing compiler goes on for
     * hundreds of thousands of steps, takes a processor from whoever works for milliseconds at a
     * time, and its memory.
     */
    QUICK,
    /** As the JVM thinks best. For what every step waits for. */
    FULL,
    /**
     * As {@link #FULL}, but later, so that a start has the processors to itself. For what others
     * wait for while it starts: of two processor seconds, the compilers took more than one.
     *
     * <p>A method is compiled after five times the usual calls and rounds, which a hot loop has had
     * within milliseconds; an AOT cache keeps no profiles, by which the JVM would optimize at once
     * whatever the training run has optimized. Reflection calls are made by the JVM's own means:
     * the method handles that it makes otherwise, a hundred of them for the records that are read
     * from JSON, are faster only much later, and no AOT cache keeps them. Nothing is replayed from
     * a cache that has no profiles, and no counters are kept in a file for other programs, which
     * those that are killed leave behind.
     */
    FULL_SOON
  }

  /**
   * The whole command line, the java program first.
   *
   * @throws IOException when a jar cannot be read
   */
  public List<String> line(List<String> arguments) throws IOException {
    List<String> flags = flags();
    List<String> line = new ArrayList<>();
    line.add(java().toString());
    line.addAll(flags);
    line.addAll(caches.flags(program, flags, aot));
    if (aot == AotMode.TRAIN && jit == Jit.FULL_SOON) {
      line.add(WITHOUT_PROFILES);
    }
    // No part of what an AOT cache depends on: they differ from stack to stack.
    line.add("-Djava.io.tmpdir=" + temp);
    line.addAll(libraries.flags(program));
    switch (program.start()) {
      case JvmProgram.Start.MainClass(String name) -> {
        line.add("-cp");
        line.add(
            program.jars().stream()
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator)));
        line.add(name);
      }
      case JvmProgram.Start.Jar(Path path) -> {
        line.add("-jar");
        line.add(path.toString());
      }
    }
    line.addAll(arguments);
    return List.copyOf(line);
  }

  /** Where this program's AOT cache is, or would be. */
  public Path cacheFile() throws IOException {
    return caches.file(program, flags());
  }

  private List<String> flags() {
    List<String> flags = new ArrayList<>();
    if (jit == Jit.QUICK) {
      flags.add("-XX:TieredStopAtLevel=1");
    }
    if (jit == Jit.FULL_SOON) {
      flags.add("-Djdk.reflect.useNativeAccessorOnly=true");
      flags.add("-XX:CompileThresholdScaling=5");
      flags.addAll(DIAGNOSTIC);
      flags.add("-XX:-AOTReplayTraining");
      flags.add("-XX:-UsePerfData");
    }
    flags.addAll(heap.flags());
    flags.addAll(COMMON);
    if (LARGE_PAGES) {
      // The heap comes in pages of two megabytes: a start has thousands of page faults less.
      flags.add("-XX:+UseTransparentHugePages");
    }
    return List.copyOf(flags);
  }

  /**
   * Whether large pages may be asked for; a JVM that asks in vain says so whenever it starts.
   *
   * @param setting the system's, with brackets around the one in force; may be missing
   */
  static boolean isOffered(Path setting) {
    try {
      String said = Files.readString(setting);
      return said.contains("[always]") || said.contains("[madvise]");
    } catch (IOException e) {
      // Another system, or a container that may not look: it does without.
      return false;
    }
  }

  /** The java program this process runs on. */
  public static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }
}
