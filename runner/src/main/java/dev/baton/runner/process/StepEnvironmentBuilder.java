/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Builds the environment of a step's processes: variables of the runner that are on an allow-list,
 * those that the step sets, and Baton's. Every other variable of the runner may be a secret,
 * regardless of its name. A workflow passes a secret by naming it in the step's {@code env}.
 * Immutable.
 */
public final class StepEnvironmentBuilder {
  /** Programs find other programs, files, characters, proxies and certificates by these. */
  private static final List<String> ALLOWED =
      List.of(
          "PATH",
          "HOME",
          "USER",
          "LOGNAME",
          "SHELL",
          "TERM",
          "TMPDIR",
          "LANG",
          "LANGUAGE",
          "LC_*",
          "TZ",
          "JAVA_HOME",
          "http_proxy",
          "https_proxy",
          "all_proxy",
          "no_proxy",
          "HTTP_PROXY",
          "HTTPS_PROXY",
          "ALL_PROXY",
          "NO_PROXY",
          "SSL_CERT_FILE",
          "SSL_CERT_DIR",
          // {@code baton down} finds the remaining processes of a stack by this mark.
          "BATON_STACK");

  /** Settings of the runner, never passed on. */
  private static final Pattern OWN = Pattern.compile("(BATON|KAFKA|QUARKUS)_.*");

  private static final Pattern SECRET =
      Pattern.compile(
          ".*(SECRET|PASSWORD|PASSWD|PASSPHRASE|TOKEN|CREDENTIAL|PRIVATE_KEY|API_?KEY|ACCESS_KEY).*",
          Pattern.CASE_INSENSITIVE);

  private final Map<String, String> inherited;

  /**
   * @param runner the runner's environment
   * @param more names of variables that are passed on in addition, in which {@code *} matches any
   *     characters. A variable whose name looks like a secret's must be named in full
   */
  public StepEnvironmentBuilder(Map<String, String> runner, List<String> more) {
    List<Pattern> allowed =
        Stream.concat(ALLOWED.stream(), more.stream()).map(VariableNamePattern::of).toList();
    Map<String, String> passed = new TreeMap<>();
    runner.forEach(
        (name, value) -> {
          if (ALLOWED.contains(name)
              || !OWN.matcher(name).matches()
                  && (more.contains(name)
                      || !looksSecret(name)
                          && allowed.stream().anyMatch(it -> it.matcher(name).matches()))) {
            passed.put(name, value);
          }
        });
    inherited = Map.copyOf(passed);
  }

  /** Passes on this process's variables that are on the allow-list. */
  public static StepEnvironmentBuilder ofProcess(List<String> more) {
    return new StepEnvironmentBuilder(System.getenv(), more);
  }

  /** Returns the variables that every step inherits from the runner. */
  public Map<String, String> inherited() {
    return inherited;
  }

  /**
   * @param step the variables that the step sets; override the runner's
   * @param baton the variables of every step; override both
   */
  public Map<String, String> build(Map<String, String> step, Map<String, String> baton) {
    Map<String, String> all = new TreeMap<>(inherited);
    all.putAll(step);
    all.putAll(baton);
    return all;
  }

  /** Whether a variable of this name probably holds a secret. */
  public static boolean looksSecret(String name) {
    return SECRET.matcher(name).matches();
  }
}
