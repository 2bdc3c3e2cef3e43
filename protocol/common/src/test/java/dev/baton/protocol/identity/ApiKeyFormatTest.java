/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.identity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeyFormatTest {
  @Test
  void shouldCreateKeysOfItsFormatThatDiffer() {
    String one = ApiKeyFormat.create();
    String other = ApiKeyFormat.create();

    assertThat(one).hasSize(59).startsWith("bk_").isNotEqualTo(other);
    assertThat(ApiKeyFormat.id(one)).contains(one.substring(3, 15));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "bk_",
        "bk_abcdefghijkl_",
        "bk_ABCDEFGHIJKL_0123456789012345678901234567890123456789012",
        "bk_abcdefghijkl_01234567890123456789012345678901234567890 2",
        "xx_abcdefghijkl_0123456789012345678901234567890123456789012",
        "bk_abcdefghijkl_0123456789012345678901234567890123456789012\n"
      })
  void shouldRefuseOtherText(String text) {
    assertThat(ApiKeyFormat.id(text)).isEmpty();
  }

  @Test
  void shouldIncludeLowerRoles() {
    assertThat(AccessRole.ADMIN.included())
        .containsExactlyInAnyOrder("admin", "operator", "viewer");
    assertThat(AccessRole.VIEWER.included()).containsExactly("viewer");
    assertThat(AccessRole.of("operator")).contains(AccessRole.OPERATOR);
    assertThat(AccessRole.of("OPERATOR")).isEmpty();
    assertThat(AccessRole.labels())
        .containsExactly(AccessRole.VIEWER_NAME, AccessRole.OPERATOR_NAME, AccessRole.ADMIN_NAME);
  }
}
