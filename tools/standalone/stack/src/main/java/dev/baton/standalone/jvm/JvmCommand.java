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
 * Builds the command line of a Java program: a small heap, the collector with the smallest
 * footprint, its AOT cache.
 *
 * @param program what is started
 * @param heap its memory for objects, with which its AOT cache is made
 * @param heapLimit the megabytes of that heap which it may use; {@code heap.initial()} to {@code
 *     heap.megabytes()}
 * @param jit how much its code is compiled
 * @param caches folder of AOT caches
 * @param aot how AOT caches are used
 * @param libraries folder of native libraries
 * @param temp the folder of its temporary files, which must exist at its start
 */
public record JvmCommand(
    JvmProgram program,
    HeapSettings heap,
    int heapLimit,
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
          // The end of a child process is signalled on the common pool; on two cores it has one
          // thread, and a task that blocks it would delay a failover.
          "-Djava.util.concurrent.ForkJoinPool.common.parallelism=4",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  /**
   * Returns unused memory of native code to the system once a minute: after its start a program
   * keeps up to 40 MB of it otherwise.
   */
  private static final String TRIM = "-XX:TrimNativeHeapInterval=60000";

  /** Options that other JDKs may not support, which then ignore them. */
  private static final List<String> DIAGNOSTIC =
      List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+IgnoreUnrecognizedVMOptions");

  /** For a training run. A JDK without this option creates a cache with profiles. */
  private static final String WITHOUT_PROFILES = "-XX:-AOTRecordTraining";

  /** Whether the system gives large pages to a process that requests them. */
  private static final boolean LARGE_PAGES =
      isOffered(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"));

  /** How much code is compiled. */
  public enum Jit {
    /**
     * Quickly, and once. For programs that others rarely wait for: the optimizing compiler would
     * run for hundreds of thousands of steps, take CPU time from processes with work of
     * milliseconds, and need memory.
     */
    QUICK,
    /**
     * With both compilers, but later than by default, so that they do not compete with the start:
     * they took more than one of a runner's two CPU-seconds, and three of the eight of Kafka.
     *
     * <p>A method is compiled after five times the usual calls and loops, which a hot loop reaches
     * within milliseconds. An AOT cache then has no profiles, with which the JVM would at once
     * optimize all code that the training run has optimized. Reflection uses native accessors: the
     * alternative, method handles (about a hundred for records read from JSON), is faster only much
     * later and is not stored in an AOT cache. Profile replay is off, and performance counters are
     * not written to a file, which killed programs would leave behind.
     */
    FULL
  }

  public JvmCommand {
    if (heapLimit < heap.initial() || heapLimit > heap.megabytes()) {
      throw new IllegalArgumentException(
          "heap limit of %d MB, allowed: %d to %d"
              .formatted(heapLimit, heap.initial(), heap.megabytes()));
    }
  }

  /** Creates a command without a lower heap limit. */
  public JvmCommand(
      JvmProgram program,
      HeapSettings heap,
      Jit jit,
      AotCacheDirectory caches,
      AotMode aot,
      NativeLibraryCache libraries,
      Path temp) {
    this(program, heap, heap.megabytes(), jit, caches, aot, libraries, temp);
  }

  /**
   * Returns the complete command line, the java program first.
   *
   * @throws IOException when a jar cannot be read
   */
  public List<String> line(List<String> arguments) throws IOException {
    List<String> flags = flags();
    List<String> line = new ArrayList<>();
    line.add(java().toString());
    line.addAll(flags);
    line.addAll(caches.flags(program, flags, aot));
    if (aot == AotMode.TRAIN && jit == Jit.FULL) {
      line.add(WITHOUT_PROFILES);
    }
    // Not part of the AOT cache's key: a cache does not depend on them, and some differ from stack
    // to stack.
    line.add(TRIM);
    if (heapLimit < heap.megabytes()) {
      line.add("-Xmx" + heapLimit + "m");
    }
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

  /** The path of this program's AOT cache, which may not exist. */
  public Path cacheFile() throws IOException {
    return caches.file(program, flags());
  }

  private List<String> flags() {
    List<String> flags = new ArrayList<>();
    if (jit == Jit.QUICK) {
      flags.add("-XX:TieredStopAtLevel=1");
    }
    if (jit == Jit.FULL) {
      flags.add("-Djdk.reflect.useNativeAccessorOnly=true");
      flags.add("-XX:CompileThresholdScaling=5");
      flags.addAll(DIAGNOSTIC);
      flags.add("-XX:-AOTReplayTraining");
      flags.add("-XX:-UsePerfData");
    }
    flags.addAll(heap.flags());
    flags.addAll(COMMON);
    if (LARGE_PAGES) {
      // Pages of two megabytes for the heap: a start has thousands of page faults fewer.
      flags.add("-XX:+UseTransparentHugePages");
    }
    return List.copyOf(flags);
  }

  /**
   * Whether large pages may be requested; a JVM that cannot get them prints a warning at each
   * start.
   *
   * @param setting the system's file, with brackets around the value in force; may be missing
   */
  static boolean isOffered(Path setting) {
    try {
      String said = Files.readString(setting);
      return said.contains("[always]") || said.contains("[madvise]");
    } catch (IOException e) {
      // Another system, or a container without access: large pages are not used.
      return false;
    }
  }

  /** The java program that runs this process. */
  public static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }
}
