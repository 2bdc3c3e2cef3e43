/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OidcSettingsTest {
  private static final OidcTestConfig VALID = OidcTestConfig.of("https://sso.example/realms/a");

  @Test
  void shouldReadNothingWithoutAnIssuer() {
    assertThat(OidcSettings.read(new OidcTestConfig(Map.of()))).isEmpty();
    assertThat(OidcSettings.read(VALID)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"https://sso.example", "https://sso.example:8443/a/", "http://127.0.0.1:80/a"})
  void shouldAllowIssuersWithTlsOrOnLoopback(String issuer) {
    assertThat(OidcSettings.problems(VALID.with("issuer", issuer))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://sso.example",
        "sso.example",
        "https:///a",
        "https://sso.example?a=b",
        "https://sso.example#a",
        "https://ann:secret@sso.example",
        "file:///etc/passwd",
        "https://sso example"
      })
  void shouldRefuseOtherIssuers(String issuer) {
    assertThat(OidcSettings.problems(VALID.with("issuer", issuer)))
        .singleElement()
        .asString()
        .contains("baton.identity.oidc.issuer=", "allowed: an https URL");
  }

  @ParameterizedTest
  @CsvSource({
    "audience, ''",
    "audience, 'a,,b'",
    "roles-claim, ''",
    "roles-claim, a..b",
    "principal-claim, .a",
    "roles, ''",
    "roles, platform",
    "roles, *=admin",
    "roles, platform *=root",
    "roles, 'platform UPPER=viewer'",
    "clock-skew, PT-1S",
    "clock-skew, PT6M",
    "timeout, PT0S",
    "timeout, PT31S"
  })
  void shouldNameWrongSettings(String key, String value) {
    assertThat(OidcSettings.problems(VALID.with(key, value)))
        .singleElement()
        .asString()
        .contains("baton.identity.oidc." + key, "allowed: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"issuer", "audience", "roles"})
  void shouldRequireWhatBelongsTogether(String key) {
    OidcTestConfig incomplete = VALID.without(key);

    assertThat(OidcSettings.problems(incomplete))
        .singleElement()
        .asString()
        .contains("baton.identity.oidc." + key);
    assertThatThrownBy(() -> OidcSettings.read(incomplete))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldMapValuesToRolesInProjects() {
    ClaimRoleMapping mapping =
        ClaimRoleMapping.parse(
            """
            # a comment
            platform *=admin
            Team A  payments=operator  *=viewer

            cn=ops,ou=groups,dc=example payments=admin orders=viewer
            """);

    assertThat(mapping.roles(List.of("unknown", "platform")))
        .contains(ProjectRoles.everywhere(AccessRole.ADMIN));
    assertThat(mapping.roles(List.of("Team A", "cn=ops,ou=groups,dc=example")).orElseThrow())
        .isEqualTo(
            ProjectRoles.parse(Map.of("payments", "admin", "*", "viewer"))
                .with(ProjectRoles.parse(Map.of("orders", "viewer"))));
    assertThat(mapping.roles(List.of("Team", "*", "", "platform *=admin"))).isEmpty();
    assertThat(mapping.roles(List.of())).isEmpty();
  }

  @Test
  void shouldRefuseAValueOnTwoLines() {
    assertThatThrownBy(() -> ClaimRoleMapping.parse("a *=viewer\na *=admin"))
        .hasMessageContaining("'a'")
        .hasMessageContaining("allowed: once");
  }

  @Test
  void shouldFindClaimsByNameAndByPath() {
    Map<String, Object> claims =
        Map.of(
            "groups",
            List.of("a", 1, "b"),
            "realm_access",
            Map.of("roles", List.of("c")),
            "https://example.com/roles",
            "d e",
            "scope",
            "f g");

    assertThat(ClaimPath.parse("groups").texts(claims)).containsExactly("a", "b");
    assertThat(ClaimPath.parse("realm_access.roles").texts(claims)).containsExactly("c");
    assertThat(ClaimPath.parse("https://example.com/roles").texts(claims)).containsExactly("d e");
    assertThat(ClaimPath.parse("scope").texts(claims)).containsExactly("f", "g");
    assertThat(ClaimPath.parse("realm_access.none.deeper").texts(claims)).isEmpty();
    assertThat(ClaimPath.parse("groups").text(claims)).isEmpty();
  }
}
