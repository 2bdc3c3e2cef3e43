/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.screen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TmuxLayoutTest {
  @Test
  void shouldReadLayoutsOfTmux() {
    assertThat(TmuxLayout.parse("a87d,100x30,0,0,0"))
        .hasValueSatisfying(
            layout -> {
              assertThat(layout.panes()).isEqualTo(1);
              assertThat(layout.width()).isEqualTo(100);
              assertThat(layout.height()).isEqualTo(30);
            });
    assertThat(TmuxLayout.parse("a18a,100x30,0,0[100x14,0,0,0,100x15,0,15,1]"))
        .hasValueSatisfying(layout -> assertThat(layout.panes()).isEqualTo(2));
    assertThat(
            TmuxLayout.parse(
                checked("80x24,0,0{40x24,0,0,1,39x24,41,0[39x11,41,0,2,39x12,41,12,3]}")))
        .hasValueSatisfying(layout -> assertThat(layout.panes()).isEqualTo(3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "80x24",
        "80x24,0,0",
        "80x24,0,0,1,",
        "80x24,0,0,1x",
        "80x24,1,0,1",
        "0x24,0,0,1",
        "9999x24,0,0,1",
        "80x24,0,0{",
        "80x24,0,0{}",
        "80x24,0,0{80x24,0,0,1}",
        "80x24,0,0{40x24,0,0,1,39x24,41,0,2",
        "80x24,0,0{40x24,0,0,1,39x24,41,0,2]",
        "80x24,0,0{40x24,0,0,1,40x24,41,0,2}",
        "80x24,0,0{40x24,0,0,1,39x23,41,0,2}",
        "80x24,0,0{40x24,0,0,1,39x24,40,0,2}",
        "80x24,0,0[40x24,0,0,1,39x24,41,0,2]"
      })
  void shouldRefuseMalformedLayouts(String cells) {
    assertThat(TmuxLayout.parse(checked(cells))).isEmpty();
  }

  @Test
  void shouldRefuseWrongChecksums() {
    assertThat(TmuxLayout.parse("a87e,100x30,0,0,0")).isEmpty();
    assertThat(TmuxLayout.parse("zzzz,100x30,0,0,0")).isEmpty();
    assertThat(TmuxLayout.parse("garbage")).isEmpty();
  }

  @Test
  void shouldRefuseMorePanesThanAreRestored() {
    StringBuilder cells = new StringBuilder("33x10,0,0{");
    for (int i = 0; i < 17; i++) {
      cells.append(i == 0 ? "" : ",").append("1x10,%d,0,%d".formatted(2 * i, i));
    }
    assertThat(TmuxLayout.parse(checked(cells.append('}').toString()))).isEmpty();
  }

  private static String checked(String cells) {
    return "%04x,%s".formatted(TmuxLayout.checksum(cells), cells);
  }
}
