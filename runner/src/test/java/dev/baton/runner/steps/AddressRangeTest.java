/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {
  @ParameterizedTest
  @CsvSource({
    "172.16.0.0/12, 172.16.0.0, true",
    "172.16.0.0/12, 172.31.255.255, true",
    "172.16.0.0/12, 172.32.0.0, false",
    "172.16.0.0/12, 172.15.255.255, false",
    "100.64.0.0/10, 100.127.1.1, true",
    "100.64.0.0/10, 100.128.0.0, false",
    "10.0.0.1, 10.0.0.1, true",
    "10.0.0.1, 10.0.0.2, false",
    "0.0.0.0/0, 8.8.8.8, true",
    "0.0.0.0/0, ::1, false",
    "fc00::/7, fdff::1, true",
    "fc00::/7, fe00::1, false"
  })
  void shouldContainAddressesWithItsFirstBits(String range, String address, boolean contained) {
    assertThat(AddressRange.of(range).contains(InetAddress.ofLiteral(address)))
        .isEqualTo(contained);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "::/129", "/8"})
  void shouldRefuseOtherText(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> AddressRange.of(text));
  }

  @Test
  void shouldPermitOwnAndPrivateAddressesUnlessConfigured() {
    for (String address : new String[] {"127.0.0.1", "::1", "10.1.2.3", "192.168.0.1", "8.8.8.8"}) {
      assertThat(HttpAddressPolicy.DEFAULT.permits(InetAddress.ofLiteral(address))).isTrue();
    }
    HttpAddressPolicy closed = HttpAddressPolicy.of("loopback, private", "10.1.0.0/16");
    assertThat(closed.permits(InetAddress.ofLiteral("10.1.2.3"))).isTrue();
    assertThat(closed.permits(InetAddress.ofLiteral("10.2.2.3"))).isFalse();
    assertThat(closed.permits(InetAddress.ofLiteral("64:ff9b::7f00:1"))).isFalse();
    assertThat(closed.permits(InetAddress.ofLiteral("::7f00:1"))).isFalse();
    assertThat(closed.permits(InetAddress.ofLiteral("2002:a02:203::"))).isFalse();
  }
}
