/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.net.WebRequestPolicy.Headers;
import dev.baton.protocol.net.WebRequestPolicy.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebRequestPolicyTest {
  private final WebRequestPolicy policy =
      new WebRequestPolicy(List.of("Baton.example.com", "fd00::7"));

  private @Nullable Refusal get(String host, List<String> origins, List<String> sites) {
    return verdict(new Headers("GET", false, List.of(host), "10.1.2.3", origins, sites, null));
  }

  private @Nullable Refusal change(String method, @Nullable String type) {
    return verdict(
        new Headers(method, false, List.of("localhost:7070"), null, List.of(), List.of(), type));
  }

  private @Nullable Refusal verdict(Headers headers) {
    return policy.check(headers).map(WebRequestPolicy.Refused::refusal).orElse(null);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST:7070",
        "localhost.:1",
        "a.localhost:7070",
        "127.0.0.1:7070",
        "127.9.9.9",
        "[::1]:7070",
        "[0:0:0:0:0:0:0:1]",
        "baton.example.com:443",
        "[fd00::7]:7070",
        "10.1.2.3:7070"
      })
  void shouldAnswerToItsOwnNames(String host) {
    assertThat(get(host, List.of(), List.of())).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:7070",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "notlocalhost",
        "10.1.2.4",
        "0.0.0.0:7070",
        "127.1",
        "1270.0.0.1",
        "",
        "localhost@evil.example",
        "evil.example/localhost",
        "localhost:7070:1",
        "a localhost",
        "baton.example.com.evil.example",
        "[::2]"
      })
  void shouldNotAnswerToForeignNames(String host) {
    assertThat(get(host, List.of(), List.of())).isEqualTo(Refusal.FOREIGN_HOST);
  }

  @Test
  void shouldNotAnswerWithoutOneHost() {
    List<String> none = List.of();
    assertThat(verdict(new Headers("GET", false, none, null, none, none, null)))
        .isEqualTo(Refusal.FOREIGN_HOST);
    assertThat(
            verdict(
                new Headers(
                    "GET", false, List.of("localhost", "evil.example"), null, none, none, null)))
        .isEqualTo(Refusal.FOREIGN_HOST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cross-site", "same-site", "Cross-Site", "", "anything"})
  void shouldRefuseWhatABrowserSaysComesFromElsewhere(String site) {
    assertThat(get("localhost", List.of(), List.of(site))).isEqualTo(Refusal.CROSS_SITE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "http://evil.example",
        "http://localhost:7071",
        "http://localhost",
        "http://127.0.0.1:7070",
        "file://",
        "x",
        "http://localhost:7070@evil.example",
        "http://localhost:7070.evil.example",
        ""
      })
  void shouldRefuseOtherOrigins(String origin) {
    assertThat(get("localhost:7070", List.of(origin), List.of())).isEqualTo(Refusal.CROSS_SITE);
  }

  @Test
  void shouldServeItsOwnPages() {
    assertThat(get("localhost:7070", List.of("http://localhost:7070"), List.of("same-origin")))
        .isNull();
    assertThat(get("localhost", List.of("http://localhost:80"), List.of("none"))).isNull();
    assertThat(get("baton.example.com", List.of("https://baton.example.com"), List.of())).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "post"})
  void shouldNeedAContentTypeThatNoPageCanSendUnasked(String method) {
    assertThat(change(method, null)).isEqualTo(Refusal.CONTENT_TYPE);
    assertThat(change(method, " ")).isEqualTo(Refusal.CONTENT_TYPE);
    assertThat(change(method, "text/plain")).isEqualTo(Refusal.CONTENT_TYPE);
    assertThat(change(method, "Text/Plain; charset=application/json"))
        .isEqualTo(Refusal.CONTENT_TYPE);
    assertThat(change(method, "text/plain, application/json")).isEqualTo(Refusal.CONTENT_TYPE);
    assertThat(change(method, "multipart/form-data; boundary=x")).isEqualTo(Refusal.CONTENT_TYPE);
    assertThat(change(method, "application/x-www-form-urlencoded")).isEqualTo(Refusal.CONTENT_TYPE);
    assertThat(change(method, "application/json")).isNull();
    assertThat(change(method, "application/yaml; charset=utf-8")).isNull();
    assertThat(change(method, "text/vnd.graphviz")).isNull();
  }

  @Test
  void shouldLetGrpcThroughUnderAnyName() {
    List<String> none = List.of();
    List<String> host = List.of("store:8082");
    assertThat(verdict(new Headers("POST", true, host, null, none, none, "application/grpc")))
        .isNull();
    assertThat(verdict(new Headers("POST", false, host, null, none, none, "application/grpc")))
        .isEqualTo(Refusal.FOREIGN_HOST);
    assertThat(verdict(new Headers("POST", true, host, null, none, none, "application/grpc-web")))
        .isEqualTo(Refusal.FOREIGN_HOST);
    assertThat(
            verdict(
                new Headers(
                    "POST", true, host, null, List.of("http://x"), none, "application/grpc")))
        .isEqualTo(Refusal.FOREIGN_HOST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:7070", "http://x", "", "a b"})
  void shouldRefuseWhatIsNoHost(String host) {
    assertThatThrownBy(() -> new WebRequestPolicy(List.of(host)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + host + "'");
  }
}
