/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with real processes: the JVM must accept these flags, and the caches created with them. */
class JvmCommandTest {

  /** The JVM's heading of a cache's profiles, and the first of them. */
  private static final String PROFILES = "Archived TrainingData Dictionary";

  private static final String A_PROFILE = PROFILES + "\\R\\s*0: ";

  @TempDir Path folder;

  /** The program of the processes. */
  static final class Greeting {

    private Greeting() {}

    public static void main(String[] arguments) {
      System.out.println("hello " + arguments[0]);
    }
  }

  @Test
  void shouldStartWithACacheWithoutProfiles() throws Exception {
    JvmCommand train = command(JvmCommand.Jit.FULL, AotMode.TRAIN);
    assertThat(run(train, Map.of())).contains("hello world");
    assertThat(train.cacheFile()).isNotEmptyFile();

    JvmCommand use = command(JvmCommand.Jit.FULL, AotMode.USE);
    assertThat(use.line(List.of()))
        .contains("-XX:CompileThresholdScaling=5", "-XX:AOTCache=" + train.cacheFile());
    assertThat(run(use, telling()))
        .contains("hello world")
        .contains(PROFILES)
        .doesNotContainPattern(A_PROFILE);
  }

  @Test
  void shouldUseTheCacheUnderALowerHeapLimit() throws Exception {
    run(command(JvmCommand.Jit.FULL, AotMode.TRAIN), Map.of());

    JvmCommand use = command(JvmCommand.Jit.FULL, AotMode.USE, 32);
    assertThat(use.line(List.of())).contains("-Xmx32m");
    assertThat(run(use, telling())).contains("hello world").contains(PROFILES);
    assertThatThrownBy(() -> command(JvmCommand.Jit.FULL, AotMode.USE, 49))
        .hasMessage("heap limit of 49 MB, allowed: 32 to 48");
  }

  @Test
  void shouldStartWithoutAComplaintOfTheJvm() throws Exception {
    for (JvmCommand.Jit jit : JvmCommand.Jit.values()) {
      assertThat(run(command(jit, AotMode.OFF), Map.of())).as("%s", jit).isEqualTo("hello world\n");
    }
  }

  @Test
  void shouldAskForLargePagesOnlyWhereTheyAreOffered() throws Exception {
    Path setting = folder.resolve("enabled");
    assertThat(JvmCommand.isOffered(setting)).as("no such setting").isFalse();
    for (String offered : List.of("always [madvise] never", "[always] madvise never")) {
      assertThat(JvmCommand.isOffered(Files.writeString(setting, offered))).as(offered).isTrue();
    }
    Files.writeString(setting, "always madvise [never]\n");
    assertThat(JvmCommand.isOffered(setting)).isFalse();
  }

  /** Flags with which an unusable cache ends the process, and its profiles are printed. */
  private static Map<String, String> telling() {
    return Map.of(
        "JDK_JAVA_OPTIONS",
        "-XX:AOTMode=on -XX:+UnlockDiagnosticVMOptions -XX:+AOTPrintTrainingInfo");
  }

  private JvmCommand command(JvmCommand.Jit jit, AotMode aot) throws IOException {
    return command(jit, aot, 48);
  }

  private JvmCommand command(JvmCommand.Jit jit, AotMode aot, int heapLimit) throws IOException {
    Path jar = folder.resolve("greeting.jar");
    if (Files.notExists(jar)) {
      write(jar);
    }
    return new JvmCommand(
        new JvmProgram("greeting", List.of(jar), new JvmProgram.Start.Jar(jar)),
        new HeapSettings(48, HeapSettings.Use.PACKS),
        heapLimit,
        jit,
        new AotCacheDirectory(Files.createDirectories(folder.resolve("aot"))),
        aot,
        new NativeLibraryCache(folder.resolve("native")),
        Files.createDirectories(folder.resolve("temp")));
  }

  private static void write(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Greeting.class.getName());
    String entry = Greeting.class.getName().replace('.', '/') + ".class";
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        InputStream in = Greeting.class.getClassLoader().getResourceAsStream(entry)) {
      out.putNextEntry(new JarEntry(entry));
      in.transferTo(out);
    }
  }

  private String run(JvmCommand command, Map<String, String> environment) throws Exception {
    Path output = Files.createTempFile(folder, "output", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command.line(List.of("world")))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
      String said = Files.readString(output);
      assertThat(process.exitValue()).as(said).isZero();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }
}
