// RUN: systole-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{as many source and destination strides; found 2, 1 and 2}}
#levels = #core.dma<hbm to vmem, chunk = 128 by counts = [2, 3], src_strides = [128], dst_strides = [128, 256]>

// -----

// expected-error @+1 {{expects positive counts, found 0}}
#nothing = #core.dma<hbm to vmem, chunk = 128 by counts = [0], src_strides = [128], dst_strides = [128]>

// -----

// expected-error @+1 {{in multiples of 128 words}}
#part = #core.dma<hbm to vmem, chunk = 64>

// -----

// expected-error @+1 {{expects an arrival flag of -1 to 127, found 128}}
#flag = #core.dma<hbm to hbm, chunk = 128, arrival_flag = 128>

// -----

// expected-error @+1 {{expects a copy to another core to count 1 on its flags}}
#words = #core.dma<hbm to hbm, chunk = 128, arrival_flag = 96 counts_words = true>
