/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.locale;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Utf8LocaleGuardTest {
  private static final String TEXT = "Zoë 😀";

  /** Prints its environment and arguments as the JVM decoded them. */
  public static final class Program {
    public static void main(String... arguments) throws Exception {
      long before = ProcessHandle.current().pid();
      Utf8LocaleGuard.require();
      Process child =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  "printf '%s|%s|%s' \"$1\" \"$NAME\" \"$LC_ALL$LC_CTYPE\"",
                  "sh",
                  arguments[0])
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String seen = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      byte[] line =
          (before + "|" + seen + "|" + System.getProperty("mark")).getBytes(StandardCharsets.UTF_8);
      System.out.write(line);
      System.out.flush();
    }
  }

  private static String run(Map<String, String> locale) throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-Dmark=kept",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            TEXT);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
    builder.environment().putAll(locale);
    builder.environment().put("NAME", TEXT);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return out.replaceFirst("^" + process.pid() + "\\|", "PID|");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // LC_ALL, LC_CTYPE, LANG, the expected LC_ALL or LC_CTYPE of a child process
        "C, -, -, C.UTF-8",
        "POSIX, -, de_DE.UTF-8, C.UTF-8",
        "xx_XX.UTF-8, -, -, C.UTF-8",
        "-, C, C.UTF-8, C.UTF-8",
        "-, -, -, C.UTF-8",
        "-, -, xx_XX.ISO-8859-1, C.UTF-8C.UTF-8",
        "-, -, C.UTF-8, ''",
        "C.UTF-8, -, -, C.UTF-8",
      })
  void shouldSeeTextAsItWasGivenInAnyLocale(
      @org.jspecify.annotations.Nullable String all,
      @org.jspecify.annotations.Nullable String ctype,
      @org.jspecify.annotations.Nullable String lang,
      String expected)
      throws Exception {
    Map<String, String> locale = new java.util.HashMap<>();
    if (all != null) {
      locale.put("LC_ALL", all);
    }
    if (ctype != null) {
      locale.put("LC_CTYPE", ctype);
    }
    if (lang != null) {
      locale.put("LANG", lang);
    }

    assertThat(run(locale)).isEqualTo("PID|%s|%s|%s|kept", TEXT, TEXT, expected);
  }

  @Test
  void shouldChangeNothingTwice() {
    List<byte[]> first = Utf8EnvironmentRewriter.corrected(entries("A=1", "LC_ALL=C", "B=x=y"));
    List<byte[]> second = Utf8EnvironmentRewriter.corrected(first);

    assertThat(texts(first)).containsExactlyInAnyOrder("A=1", "B=x=y", "LC_ALL=C.UTF-8");
    assertThat(Utf8EnvironmentRewriter.isSame(first, second)).isTrue();
  }

  @Test
  void shouldKeepBytesThatAreNoText() {
    byte[] odd = {'A', '=', (byte) 0xff, (byte) 0x80};
    List<byte[]> split =
        Utf8LocaleGuard.split(new byte[] {'A', '=', (byte) 0xff, (byte) 0x80, 0, 0});

    assertThat(split).hasSize(2);
    assertThat(split.getFirst()).isEqualTo(odd);
    assertThat(split.getLast()).as("an empty argument").isEmpty();
  }

  private static List<byte[]> entries(String... texts) {
    List<byte[]> entries = new ArrayList<>();
    Arrays.stream(texts).map(text -> text.getBytes(StandardCharsets.UTF_8)).forEach(entries::add);
    return entries;
  }

  private static List<String> texts(List<byte[]> entries) {
    return entries.stream().map(entry -> new String(entry, StandardCharsets.UTF_8)).toList();
  }
}
