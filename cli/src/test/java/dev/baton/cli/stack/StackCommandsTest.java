/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.InProcessCli;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests {@code up} and {@code down} against the content of a data folder, without a startable
 * stack.
 */
class StackCommandsTest {
  @TempDir Path home;
  @TempDir Path data;

  @BeforeEach
  void name() {
    System.setProperty("baton.home", home.toString());
  }

  @AfterEach
  void forget() {
    System.clearProperty("baton.home");
  }

  @Test
  void shouldSayThatItIsUpAlready() throws Exception {
    write(ProcessHandle.current().pid(), started());

    InProcessCli.Result result = run("up");

    assertThat(result.err()).isEmpty();
    assertThat(result.out()).startsWith("Baton is up already at http://127.0.0.1:7171");
    assertThat(run("up", "--port", "7171").code()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "--port 7272, 'on port 7171, not 7272'",
    "--compact, without --compact",
  })
  void shouldNotPretendToBeUpWithAnotherOption(String option, String difference) throws Exception {
    write(ProcessHandle.current().pid(), started());

    InProcessCli.Result result = run(("up " + option).split(" "));

    assertThat(result.code()).isEqualTo(5);
    assertThat(result.err())
        .isEqualTo("baton: Baton is up already " + difference + ": `baton down` first\n");
  }

  @Test
  void shouldSayThatItIsUpAlreadyAndCompact() throws Exception {
    write(ProcessHandle.current().pid(), started());
    Path file = data.resolve("stack.json");
    Files.writeString(
        file, Files.readString(file).replace("\"ready\":true", "\"ready\":true,\"compact\":true"));

    assertThat(run("up", "--compact").code()).isZero();
    assertThat(run("up").code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"another start of this stack came first", "already running: http:"})
  void shouldSeeThatAnotherStartCameFirst(String line) throws Exception {
    build("System.out.println(\"" + line + "\");");
    write(ProcessHandle.current().pid(), "01234567/1");

    InProcessCli.Result result = run("up", "--port", "7171");

    assertThat(result.code()).isZero();
    assertThat(result.out()).startsWith("Baton is up already at http://127.0.0.1:7171");
  }

  @Test
  void shouldNotPretendToBeUpOnTheOtherPortOfAStartThatCameFirst() throws Exception {
    build("System.out.println(\"port 7171, not 7272\"); System.exit(5);");

    InProcessCli.Result result = run("up", "--port", "7272");

    assertThat(result.code()).isEqualTo(5);
    assertThat(result.err()).endsWith("baton: port 7171, not 7272\n");
  }

  @Test
  void shouldNotTakeAStrangerWithTheRecordedPidForTheSupervisor() throws Exception {
    write(ProcessHandle.current().pid(), "01234567/1");

    InProcessCli.Result result = run("up");

    assertThat(result.code()).as("it tried to start one").isEqualTo(1);
    assertThat(result.err()).contains("the embedded stack is not built");
  }

  @Test
  void shouldStartAndStopWhateverStackJsonHolds() throws Exception {
    Files.writeString(data.resolve("stack.json"), "{\"version\": 1, \"da");

    assertThat(run("up").err()).contains("the embedded stack is not built");
    assertThat(run("down").err()).contains("the embedded stack is not built");
    assertThat(run("status").code()).isEqualTo(6);

    Files.delete(data.resolve("stack.json"));
    Files.createFile(data.resolve("stack.lock"));
    assertThat(run("down").err()).contains("the embedded stack is not built");
  }

  /** Puts a test program where the built supervisor would be. */
  private void build(String up) throws Exception {
    Path lib = Files.createDirectories(home.resolve("tools/standalone/stack/target/lib"));
    Path source = home.resolve("dev/baton/standalone/StackMain.java");
    Files.createDirectories(source.getParent());
    Files.writeString(
        source,
        """
        package dev.baton.standalone;
        public class StackMain {
          public static void main(String[] args) { if (args[0].equals("up")) { %s } }
        }"""
            .formatted(up));
    int code =
        ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", source.toString());
    assertThat(code).isZero();
    for (Path jar : List.of(lib.resolve("a.jar"), lib.resolve("b.jar"))) {
      try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
        out.putNextEntry(new JarEntry("dev/baton/standalone/StackMain.class"));
        Files.copy(source.resolveSibling("StackMain.class"), out);
      }
    }
  }

  private void write(long pid, String started) throws Exception {
    Files.writeString(
        data.resolve("stack.json"),
        """
        {"version":1,"ready":true,"supervisor":{"pid":%d,"started":"%s"},
         "urls":{"orchestrator":"http://127.0.0.1:7171"},"ports":{"orchestrator":7171}}"""
            .formatted(pid, started));
  }

  private InProcessCli.Result run(String... args) {
    String[] all = new String[args.length + 2];
    System.arraycopy(args, 0, all, 0, args.length);
    all[args.length] = "--data";
    all[args.length + 1] = data.toString();
    return InProcessCli.alone().run(all);
  }

  /** Returns this process's start, in the notation of a supervisor. */
  private static String started() throws Exception {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id"));
    return boot.substring(0, 8) + "/" + stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19];
  }
}
