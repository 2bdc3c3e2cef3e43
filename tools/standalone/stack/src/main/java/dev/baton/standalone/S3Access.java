/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

/**
 * Access data of the object store.
 *
 * @param endpoint its address
 * @param accessKey the key
 * @param secretKey the key's secret
 * @param bucket the bucket that Baton uses; created by the checkpoint-store
 * @param region for clients that require one
 */
public record S3Access(
    String endpoint, String accessKey, String secretKey, String bucket, String region) {

  @Override
  public String toString() {
    return "S3Access[" + accessKey + "@" + endpoint + "/" + bucket + "]";
  }
}
