/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.fuzz.FuzzAssert;
import dev.baton.fuzz.TextInput;
import java.nio.charset.UnsupportedCharsetException;
import java.util.List;

/** A content type, a NUL, and a body. */
public final class HttpBodyFuzzer {
  private HttpBodyFuzzer() {}

  public static void body(byte[] input) {
    List<byte[]> parts = TextInput.parts(input, 2);
    try {
      JsonNode body = HttpBodyDecoder.decode(parts.getLast(), TextInput.text(parts.getFirst()));
      FuzzAssert.require(!body.isMissingNode(), "is JSON");
    } catch (UnsupportedCharsetException rejected) {
      // The step fails with the name of the charset.
    }
  }
}
