/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BearerCredentialTest {
  @Test
  void shouldReadTheHeader() {
    assertThat(BearerCredential.of(BearerCredential.header("bk_x"))).contains("bk_x");
    assertThat(BearerCredential.of("bearer  bk_x ")).contains("bk_x");
    assertThat(BearerCredential.of("Basic YTpi")).isEmpty();
    assertThat(BearerCredential.of("Bearer")).isEmpty();
  }

  @Test
  void shouldReadTheLinesOfAFile() {
    assertThat(BearerCredential.lines("# comment\n\n one \r\ntwo")).containsExactly("one", "two");
  }

  @Test
  void shouldDigestEachCredentialToAnotherValueOfEqualLength() {
    assertThat(BearerCredential.digest("one"))
        .hasSize(32)
        .isEqualTo(BearerCredential.digest("one"))
        .isNotEqualTo(BearerCredential.digest("other"));
  }
}
