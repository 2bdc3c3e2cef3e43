/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/**
 * An extended attribute; name and value are raw bytes, one per char.
 *
 * @param name 1 to 255 bytes, no NUL
 * @param value at most 64 KiB
 */
public record Xattr(String name, String value) {
  static final int MAX_VALUE = 65_536;

  public Xattr {
    RawBytesValidator.require(name, 1, 255, true, "the name of an extended attribute");
    RawBytesValidator.require(value, 0, MAX_VALUE, false, "the value of an extended attribute");
  }
}
