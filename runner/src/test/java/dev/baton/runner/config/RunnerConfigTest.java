/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunnerConfigTest {
  private static Map<String, String> isolated() {
    return new HashMap<>(
        Map.of(
            "baton.runner.id", "r1",
            "baton.run.id", "01jz0000000000000000000000",
            "baton.epoch", "3",
            "baton.lease", "token",
            "baton.orchestrator.url", "http://127.0.0.1:7070",
            "baton.store.url", "http://127.0.0.1:7071",
            "kafka.bootstrap.servers", "127.0.0.1:9092",
            "baton.data", "/tmp/data"));
  }

  private static RunnerConfig read(Map<String, String> keys) {
    return RunnerConfig.read(key -> Optional.ofNullable(keys.get(key)));
  }

  @Test
  void shouldHaveDocumentedDefaults() {
    RunnerConfig config = read(isolated());

    assertThat(config.slots()).isEqualTo(1);
    assertThat(config.carries())
        .contains(new RunnerConfig.Carried("01jz0000000000000000000000", 3, "token"));
    assertThat(config.checkpointPatience()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.checkpointInterval()).contains(Duration.ofMinutes(5));
    assertThat(config.checkpointEnvironment())
        .containsExactly(
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "SHELL",
            "TERM",
            "LANG",
            "LANGUAGE",
            "LC_*",
            "TZ",
            "EDITOR",
            "PAGER",
            "JAVA_HOME",
            "GOPATH",
            "GOROOT",
            "NODE_ENV",
            "PYTHONPATH",
            "VIRTUAL_ENV",
            "CI");
    assertThat(config.maxLifetime()).contains(Duration.ofHours(24));
    assertThat(config.grace()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.assignPatience()).isEqualTo(Duration.ofSeconds(60));
    assertThat(config.orchestrator()).containsExactly(new GrpcAddress("127.0.0.1", 7070));
  }

  @Test
  void shouldTakeReplicasInTheirOrder() {
    Map<String, String> keys = isolated();
    keys.put("baton.store.url", "http://a:1, http://b");

    assertThat(read(keys).store())
        .containsExactly(new GrpcAddress("a", 1), new GrpcAddress("b", 80));
  }

  @Test
  void shouldTakeOneRunWhicheverWhenWarm() {
    Map<String, String> keys = isolated();
    keys.keySet().removeAll(List.of("baton.run.id", "baton.epoch", "baton.lease"));
    keys.put("baton.runner.mode", "warm");
    keys.put("baton.runner.max-lifetime", "off");

    RunnerConfig config = read(keys);

    assertThat(config.mode()).isEqualTo(RunnerConfig.Mode.WARM);
    assertThat(config.slots()).isEqualTo(1);
    assertThat(config.carries()).isEmpty();
    assertThat(config.maxLifetime()).isEmpty();
  }

  @Test
  void shouldNameARunnerThatWasStartedExternally() {
    Map<String, String> keys = isolated();
    keys.remove("baton.runner.id");
    keys.put("baton.runner.mode", "warm");

    assertThat(read(keys).runnerId()).matches("ext-[a-z0-9-]{1,40}-[0-9a-f]{12}");
    assertThat(read(keys).runnerId()).isNotEqualTo(read(keys).runnerId());
  }

  @Test
  void shouldReadTheAttachTokenAndNotShowIt(@TempDir Path folder) throws IOException {
    Map<String, String> keys = isolated();
    assertThat(read(keys).attachToken()).isEmpty();

    Path file =
        Files.writeString(folder.resolve("token"), "# of the test\nin-the-file-0123456789\n");
    keys.put("baton.attach.token-file", file.toString());
    assertThat(read(keys).attachToken()).contains(new AttachToken("in-the-file-0123456789"));

    keys.put("baton.attach.token", "in-the-setting-0123456789");
    assertThat(read(keys).attachToken()).contains(new AttachToken("in-the-setting-0123456789"));
    assertThat(read(keys).toString()).doesNotContain("0123456789");

    keys.put("baton.attach.token", "tooshort");
    assertThatThrownBy(() -> read(keys))
        .hasMessageContaining("baton.attach.token")
        .hasMessageContaining("16 to 512")
        .hasMessageNotContaining("tooshort");
  }

  @Test
  void shouldCarryNothingAtFirstWhenShared() {
    Map<String, String> keys = isolated();
    keys.put("baton.runner.mode", "shared");

    assertThat(read(keys).carries()).isEmpty();
    assertThat(read(keys).slots()).isEqualTo(1_000);
  }

  @Test
  void shouldReadHowCheckpointsAreMade() {
    Map<String, String> keys = isolated();
    keys.put("baton.checkpoint.interval", "1s");
    keys.put("baton.checkpoint.environment", " PATH , MY_*,");
    assertThat(read(keys).checkpointInterval()).contains(Duration.ofSeconds(1));
    assertThat(read(keys).checkpointEnvironment()).containsExactly("PATH", "MY_*");

    keys.put("baton.checkpoint.interval", "off");
    assertThat(read(keys).checkpointInterval()).isEmpty();
  }

  @Test
  void shouldReadWhichVariablesStepsInherit() {
    Map<String, String> keys = isolated();
    assertThat(read(keys).stepEnvironment()).isEmpty();

    keys.put("baton.step.environment", "GOPATH, CARGO_*");
    assertThat(read(keys).stepEnvironment()).containsExactly("GOPATH", "CARGO_*");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "baton.runner.mode|both|isolated, warm or shared",
        "baton.runner.max-lifetime|59s|off, or 60s or more",
        "baton.runner.grace|999ms|a duration from 1s to 1h",
        "baton.runner.grace|61m|a duration from 1s to 1h",
        "baton.run.id|ABC|a ULID in lower case (26 characters)",
        "baton.http-step.deny|localhost|addresses, ranges such as 10.0.0.0/8, loopback, private, link-local, metadata; separated by commas",
        "baton.http-step.allow|10.0.0.0/99|addresses, ranges such as 10.0.0.0/8, loopback, private, link-local, metadata; separated by commas",
        "baton.step.environment|MY-VAR|names of environment variables, separated by commas; '*' for any part",
        "baton.epoch|0|a whole number from 1 to 999999999",
        "baton.epoch|x|a whole number from 1 to 999999999",
        "baton.orchestrator.url|ftp://x|http://<host>:<port> or https://<host>:<port>",
        "baton.store.url|:|http://<host>:<port>",
        "baton.checkpoint.patience|soon|a duration such as",
        "baton.checkpoint.interval|999ms|off, or 1s or more",
        "baton.checkpoint.interval|never|a duration such as",
        "baton.checkpoint.environment|A=B|names of environment variables",
        "baton.data|''|a value: it is required",
      })
  void shouldNameKeyValueAndWhatIsAllowed(String key, String value, String allowed) {
    Map<String, String> keys = isolated();
    keys.put(key, value);

    assertThatThrownBy(() -> read(keys))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(key + " is '" + value + "'")
        .hasMessageContaining(allowed);
  }
}
