/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxHostTest {
  @ParameterizedTest
  @CsvSource({
    "pypi.org, pypi.org, 443, true",
    "pypi.org, PyPI.org, 80, true",
    "PyPI.org, pypi.org, 80, true",
    "pypi.org, pypi.org, 8080, false",
    "pypi.org, files.pypi.org, 443, false",
    "pypi.org, evilpypi.org, 443, false",
    "pypi.org, pypi.org.evil.example, 443, false",
    "*.pypi.org, files.pypi.org, 443, true",
    "*.pypi.org, a.b.pypi.org, 443, true",
    "*.pypi.org, pypi.org, 443, false",
    "*.pypi.org, evilpypi.org, 443, false",
    "git.example:8443, git.example, 8443, true",
    "git.example:8443, git.example, 443, false",
    "*, 10.0.0.1, 80, true",
    "*, a.example, 22, false",
    "*:22, a.example, 22, true",
    "10.0.0.1, 10.0.0.1, 80, true",
  })
  void shouldContain(String text, String host, int port, boolean expected) {
    assertThat(SandboxHost.parse(text).orElseThrow().contains(host, port)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pypi.org", "*.pypi.org", "*", "git.example:8443", "*.a.example:1"})
  void shouldBeWrittenAsItIsRead(String text) {
    assertThat(SandboxHost.parse(text).orElseThrow()).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "https://pypi.org",
        "pypi.org/",
        "-a.example",
        "a..example",
        "*a.example",
        "**",
        "a.*.example",
        "a.example:",
        "a.example:0",
        "a.example:65536",
        "a b",
        "[::1]",
        "a_b.example",
      })
  void shouldRefuseOthers(String text) {
    assertThat(SandboxHost.parse(text)).isEmpty();
  }
}
