/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.SecretReference;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against the documented API of Vault, not against a Vault server. */
class VaultClientTest {
  private static final String PATH = "secret/data/ci/npm";
  private static final VaultClient.Limits LIMITS =
      new VaultClient.Limits(Duration.ofSeconds(20), Duration.ofSeconds(40));

  @TempDir Path folder;

  private Path tokenFile;

  @BeforeEach
  void writeToken() throws IOException {
    tokenFile = Files.writeString(folder.resolve("token"), "hvs.file-token\n");
  }

  private VaultSettings settings(String address, Map<String, String> others) {
    Map<String, String> values = new HashMap<>(others);
    values.put("baton.secrets.vault.address", address);
    values.putIfAbsent("baton.secrets.vault.token-file", tokenFile.toString());
    return VaultSettings.read(key -> Optional.ofNullable(values.get(key))).orElseThrow();
  }

  private SecretResolver resolver(
      String address, Map<String, String> others, TlsSettings tls, VaultClient.Limits limits) {
    return new SecretResolver(
        SecretSourcePolicy.parse("vault:secret/**,vault:kv1/one"),
        Map.of(),
        Duration.ofSeconds(20),
        Optional.of(new VaultClient(settings(address, others), tls, limits)));
  }

  private SecretResolver resolver(VaultTestServer vault, Map<String, String> others) {
    return resolver("http://127.0.0.1:" + vault.port(), others, TlsSettings.NONE, LIMITS);
  }

  private static VaultTestServer plain() throws IOException {
    VaultTestServer vault = new VaultTestServer(Optional.empty());
    vault.tokens.add("hvs.file-token");
    vault.putVersioned(
        PATH, "{\"token\": \"s3cr3t-value\", \"pin\": 1234567, \"map\": {\"a\": 1}}");
    return vault;
  }

  private static String read(SecretResolver resolver, String path, String field) {
    return resolver.resolve("npm", new SecretReference.Vault(path, field));
  }

  private static SecretUnavailableException failure(
      SecretResolver resolver, String path, String field) {
    SecretUnavailableException failure =
        catchThrowableOfType(SecretUnavailableException.class, () -> read(resolver, path, field));
    assertThat(failure).isNotNull();
    assertThat(failure.getMessage())
        .startsWith("secret 'npm' (vault:%s#%s): ".formatted(path, field))
        .doesNotContain("s3cr3t", "hvs.", "secret-in-an-error", "service-account");
    return failure;
  }

  @Test
  void shouldReadFieldsOfBothVersions() throws Exception {
    try (VaultTestServer vault = plain()) {
      vault.putPlain("kv1/one", "{\"token\": \"plain-value\"}");
      SecretResolver resolver =
          resolver(vault, Map.of("baton.secrets.vault.namespace", "team/payments"));

      assertThat(read(resolver, PATH, "token")).isEqualTo("s3cr3t-value");
      assertThat(read(resolver, PATH, "pin")).isEqualTo("1234567");
      assertThat(read(resolver, "kv1/one", "token")).isEqualTo("plain-value");
      assertThat(vault.requests.getFirst())
          .isEqualTo(
              new VaultTestServer.Request("GET", "/v1/" + PATH, "team/payments", "hvs.file-token"));
    }
  }

  @Test
  void shouldReadTokenAndValueAgainForEachUse() throws Exception {
    try (VaultTestServer vault = plain()) {
      SecretResolver resolver = resolver(vault, Map.of());
      assertThat(read(resolver, PATH, "token")).isEqualTo("s3cr3t-value");

      vault.putVersioned(PATH, "{\"token\": \"rotated-value\"}");
      vault.tokens.clear();
      vault.tokens.add("hvs.other-token");
      Files.writeString(tokenFile, "hvs.other-token");

      assertThat(read(resolver, PATH, "token")).isEqualTo("rotated-value");
    }
  }

  @Test
  void shouldNameWhatIsMissingAndNotRepeatIt() throws Exception {
    try (VaultTestServer vault = plain()) {
      SecretResolver resolver = resolver(vault, Map.of());
      vault.answers.put(
          "secret/data/leased",
          "{\"lease_id\": \"database/creds/x/1\", \"data\": {\"password\": \"s3cr3t-dynamic\"}}");
      vault.answers.put("secret/data/text", "s3cr3t-not-json");

      assertThat(failure(resolver, PATH, "none"))
          .hasMessageEndingWith("the secret has no field 'none'");
      assertThat(failure(resolver, PATH, "map")).hasMessageEndingWith("the field is not a text");
      assertThat(failure(resolver, "secret/ci/npm", "token"))
          .hasMessageContaining("with version 2 of the KV engine the path has 'data'");
      assertThat(failure(resolver, "secret/data/leased", "password"))
          .hasMessageContaining("a dynamic secret with a lease");
      assertThat(failure(resolver, "secret/data/text", "a"))
          .hasMessageEndingWith("Vault's answer is not JSON");
      assertThat(failure(resolver, "kv1/two", "token"))
          .hasMessageContaining("add vault:kv1/two to baton.secrets.sources");
      assertThat(vault.requests).hasSize(5);
    }
  }

  @Test
  void shouldNameATokenThatIsMissingOrDenied() throws Exception {
    try (VaultTestServer vault = plain()) {
      SecretResolver resolver = resolver(vault, Map.of());
      Files.writeString(tokenFile, "hvs.expired");
      assertThat(failure(resolver, PATH, "token"))
          .hasMessageContaining("no policy of it permits to read " + PATH)
          .returns(false, SecretUnavailableException::isTemporary);
      assertThat(vault.requests).hasSize(1);

      Files.writeString(tokenFile, "hvs.two\nhvs.lines");
      assertThat(failure(resolver, PATH, "token"))
          .hasMessageEndingWith("baton.secrets.vault.token-file " + tokenFile + " has no token");
      Files.delete(tokenFile);
      assertThat(failure(resolver, PATH, "token"))
          .hasMessageEndingWith("cannot be read: NoSuchFileException");
    }
  }

  @Test
  void shouldRepeatWhatMaySucceed() throws Exception {
    try (VaultTestServer vault = plain()) {
      SecretResolver resolver = resolver(vault, Map.of());
      vault.failures.addAll(List.of(503, 0));
      assertThat(read(resolver, PATH, "token")).isEqualTo("s3cr3t-value");
      assertThat(vault.requests.stream().filter(it -> it.path().endsWith("npm")).count())
          .isGreaterThanOrEqualTo(3);

      vault.requests.clear();
      vault.failures.addAll(List.of(503, 429, 503));
      assertThat(failure(resolver, PATH, "token"))
          .hasMessageEndingWith("the status 503: it is sealed or in maintenance")
          .returns(true, SecretUnavailableException::isTemporary);
      assertThat(vault.requests).hasSize(3);

      vault.requests.clear();
      vault.failures.add(307);
      assertThat(failure(resolver, PATH, "token"))
          .hasMessageContaining("correct baton.secrets.vault.address");
      assertThat(vault.requests).hasSize(1);
    }
  }

  @Test
  void shouldNotWaitForAServerThatDoesNotAnswer() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      SecretResolver resolver =
          resolver(
              "http://127.0.0.1:" + silent.getLocalPort(),
              Map.of(),
              TlsSettings.NONE,
              new VaultClient.Limits(Duration.ofMillis(200), Duration.ofMillis(300)));
      assertThat(failure(resolver, PATH, "token"))
          .hasMessageEndingWith("did not answer within 200 ms")
          .returns(true, SecretUnavailableException::isTemporary);
    }
  }

  @Test
  void shouldLogInWithTheTokenOfAServiceAccount() throws Exception {
    Files.writeString(tokenFile, "service-account-1");
    try (VaultTestServer vault = plain()) {
      vault.roles.put("ci", "service-account-1");
      SecretResolver resolver =
          resolver(
              vault,
              Map.of(
                  "baton.secrets.vault.kubernetes-role", "ci",
                  "baton.secrets.vault.kubernetes-mount", "k8s/east"));

      assertThat(read(resolver, PATH, "token")).isEqualTo("s3cr3t-value");
      assertThat(read(resolver, PATH, "token")).isEqualTo("s3cr3t-value");
      assertThat(vault.requests)
          .extracting(it -> it.method() + " " + it.path() + " " + it.token())
          .containsExactly(
              "POST /v1/auth/k8s/east/login ",
              "GET /v1/" + PATH + " hvs.login-1",
              "GET /v1/" + PATH + " hvs.login-1");

      vault.tokens.clear();
      Files.writeString(tokenFile, "service-account-2");
      vault.roles.put("ci", "service-account-2");
      assertThat(read(resolver, PATH, "token")).isEqualTo("s3cr3t-value");

      vault.requests.clear();
      vault.tokens.clear();
      vault.roles.clear();
      assertThat(failure(resolver, PATH, "token"))
          .hasMessageContaining("denies the login as the role 'ci' at auth/k8s/east");
      assertThat(vault.requests).hasSize(2);
    }
  }

  @Test
  void shouldReplaceALoginBeforeItsEnd() throws Exception {
    Files.writeString(tokenFile, "service-account-1");
    try (VaultTestServer vault = plain()) {
      vault.roles.put("ci", "service-account-1");
      vault.loginSeconds = 1;
      SecretResolver resolver =
          resolver(vault, Map.of("baton.secrets.vault.kubernetes-role", "ci"));
      read(resolver, PATH, "token");
      long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (vault.requests.stream().filter(it -> it.method().equals("POST")).count() < 2) {
        assertThat(System.nanoTime()).isLessThan(end);
        assertThat(read(resolver, PATH, "token")).isEqualTo("s3cr3t-value");
      }
    }
  }

  @Test
  void shouldTrustItsOwnAuthorityOnly() throws Exception {
    CertificateAuthority own =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("own")));
    CertificateAuthority other =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("other")));
    List<String> names = List.of("ip:127.0.0.1");
    TlsSettings trust = own.trusting();

    try (VaultTestServer vault = secure(own.issue("good", names, 1))) {
      SecretResolver resolver =
          resolver("https://127.0.0.1:" + vault.port(), Map.of(), trust, LIMITS);
      assertThat(read(resolver, PATH, "token")).isEqualTo("s3cr3t-value");
      SecretResolver elsewhere =
          resolver("https://localhost:" + vault.port(), Map.of(), trust, LIMITS);
      assertThat(failure(elsewhere, PATH, "token"))
          .hasMessageContaining("its certificate is for another host");
    }
    refused(other.issue("strange", names, 1), trust, "correct baton.tls.trust");
    refused(own.issue("old", names, "-2d", 1), trust, "its certificate has expired");
  }

  private VaultTestServer secure(Issued certificate) throws IOException {
    VaultTestServer vault = new VaultTestServer(Optional.of(certificate.settings()));
    vault.tokens.add("hvs.file-token");
    vault.putVersioned(PATH, "{\"token\": \"s3cr3t-value\"}");
    return vault;
  }

  private void refused(Issued certificate, TlsSettings trust, String reason) throws IOException {
    try (VaultTestServer vault = secure(certificate)) {
      SecretResolver resolver =
          resolver("https://127.0.0.1:" + vault.port(), Map.of(), trust, LIMITS);
      assertThat(failure(resolver, PATH, "token"))
          .hasMessageContaining(reason)
          .returns(false, SecretUnavailableException::isTemporary);
      assertThat(vault.requests).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vault.example:8200",
        "http://vault.example:8200",
        "https://vault.example/v1",
        "https://user@vault.example",
        "https://",
        "ftp://127.0.0.1"
      })
  void shouldRejectAddresses(String address) {
    assertThatThrownBy(() -> settings(address, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("baton.secrets.vault.address: allowed is");
  }

  @ParameterizedTest
  @CsvSource({
    "token-file, relative/path, is not an absolute path",
    "namespace, a b, has other characters",
    "kubernetes-mount, ../sys, is not a mount"
  })
  void shouldRejectSettings(String key, String value, String reason) {
    assertThatThrownBy(
            () -> settings("https://vault.example", Map.of("baton.secrets.vault." + key, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
    assertThatThrownBy(
            () ->
                VaultSettings.read(
                    asked ->
                        Optional.of(value)
                            .filter(it -> asked.equals("baton.secrets.vault." + key))))
        .hasMessage("baton.secrets.vault." + key + " needs baton.secrets.vault.address");
  }
}
