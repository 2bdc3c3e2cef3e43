/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.workflow.SandboxNetwork;
import dev.baton.protocol.workflow.SandboxRule;
import dev.baton.runner.steps.HttpAddressPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Machines that cannot create sandboxes, and settings that refuse them. */
class SandboxFactoryTest {
  @TempDir Path folder;

  private void program(String script) throws IOException {
    Path file = Files.writeString(folder.resolve("bwrap"), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private StepSandbox sandbox() {
    return factory(SandboxSettings.NONE).of(Optional.of(SandboxRule.DEFAULT)).orElseThrow();
  }

  private SandboxFactory factory(SandboxSettings settings) {
    return new SandboxFactory(
        settings, folder, Map.of("PATH", folder.toString()), HttpAddressPolicy.DEFAULT::check);
  }

  private static SandboxSettings read(Map<String, String> keys) {
    return SandboxSettings.read(key -> Optional.ofNullable(keys.get(key)));
  }

  private void shouldRefuse(String message) {
    assertThatThrownBy(() -> sandbox().command(List.of("true"), folder, folder))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo("sandbox_unavailable"))
        .hasMessage(message);
  }

  @Test
  void shouldNameAMissingProgram() {
    shouldRefuse(
        "sandbox: bubblewrap is not installed: no 'bwrap' in %s; install the package bubblewrap, 0.8.0 or newer"
            .formatted(folder));
  }

  @ParameterizedTest
  @CsvSource({"0.4.1", "0.7.12", "nothing"})
  void shouldNameAVersionThatIsTooOld(String version) throws Exception {
    program("echo bubblewrap " + version);

    shouldRefuse(
        "sandbox: %s/bwrap is 'bubblewrap %s'; sandboxes need bubblewrap 0.8.0 or newer"
            .formatted(folder, version));
  }

  @ParameterizedTest
  @CsvSource({"0.8.0,true", "0.11.0,true", "1.0.0,true", "0.7.9,false", "0.8,false"})
  void shouldCompareVersionsByNumber(String version, boolean recent) {
    assertThat(BubblewrapProgram.isRecent("bubblewrap " + version)).isEqualTo(recent);
  }

  @Test
  void shouldNameWhatTheKernelRefusesAndTryAgain() throws Exception {
    program(
        "[ \"$1\" = --version ] && echo bubblewrap 0.8.0 || { echo 'bwrap: No permissions to create a new namespace'; exit 1; }");

    shouldRefuse(
        "sandbox: the kernel or the container of this runner does not permit a sandbox: bwrap: No permissions to create a new namespace (exit code 1); see docs/operations.md#sandboxes");

    program("echo bubblewrap 0.8.0");
    assertThat(sandbox().command(List.of("true"), folder, folder))
        .startsWith(folder + "/bwrap")
        .endsWith("--", "true");
  }

  @Test
  void shouldGiveStepsWithoutOneASandboxWhereTheRunnerDemandsIt() throws Exception {
    program("echo bubblewrap 0.8.0");

    assertThat(factory(SandboxSettings.NONE).of(Optional.empty())).isEmpty();
    StepSandbox demanded =
        factory(read(Map.of("baton.sandbox.required", "true", "baton.sandbox.network", "none")))
            .of(Optional.empty())
            .orElseThrow();
    assertThat(demanded.command(List.of("true"), folder, folder)).contains("--unshare-net");
  }

  @Test
  void shouldRefuseAWiderNetworkThanTheRunnerPermits() {
    SandboxRule host =
        new SandboxRule(SandboxNetwork.HOST, List.of(), List.of(), List.of(), OptionalInt.empty());
    StepSandbox sandbox =
        factory(read(Map.of("baton.sandbox.network", "none"))).of(Optional.of(host)).orElseThrow();

    assertThatThrownBy(
            () ->
                sandbox.check(
                    new dev.baton.protocol.workflow.StepKind.Shell(
                        "true",
                        Map.of(),
                        List.of("sh"),
                        dev.baton.protocol.workflow.ShellOutput.DEFAULT,
                        java.util.Set.of(0))))
        .isInstanceOf(SandboxException.class)
        .hasMessage(
            "sandbox: this runner permits no network 'host'; the widest is 'none' (baton.sandbox.network)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "baton.sandbox.required|yes|baton.sandbox.required: 'yes' is not valid; allowed: true or false",
        "baton.sandbox.network|all|baton.sandbox.network: 'all' is not valid; allowed: none, proxy, host",
        "baton.sandbox.hosts|a.example, b/c|baton.sandbox.hosts: 'b/c' is not valid; allowed: a host such as pypi.org, *.pypi.org for all below it, or * for all, each with an optional :port; separated by commas",
        "baton.sandbox.paths|srv|baton.sandbox.paths: 'srv' is not valid; allowed: absolute paths without '..', separated by commas; /folder/** for all that is below a folder",
        "baton.sandbox.show|/a/../b|baton.sandbox.show: '/a/../b' is not valid; allowed: absolute paths without '..', separated by commas",
      })
  void shouldNameABadSetting(String key, String value, String message) {
    assertThatThrownBy(() -> read(Map.of(key, value))).hasMessage(message);
  }
}
